/** The camera: orbits a target, planar or in perspective, follows a body, and has standard views. */

import { OrthographicCamera, PerspectiveCamera, Quaternion, Vector2, Vector3 } from 'three';
import type { Bounds } from './bounds.ts';

export type View = 'front' | 'side' | 'top' | 'iso';
export type Projection = 'perspective' | 'orthographic';

interface Look {
  target: Vector3;
  yaw: number;
  pitch: number;
  distance: number;
}

const FIELD = (30 * Math.PI) / 180;
const VIEWS: Record<View, [number, number]> = {
  front: [0, 0],
  side: [Math.PI / 2, 0],
  top: [0, Math.PI / 2],
  iso: [0.62, 0.42],
};
const EASE_MS = 240;
/** Margin around a fitted model, for arrows and the toolbar. */
const MARGIN = 1.25;

export class Eye {
  readonly perspective = new PerspectiveCamera((FIELD * 180) / Math.PI, 1, 0.01, 100);
  readonly orthographic = new OrthographicCamera();
  projection: Projection;
  /** Planar view: planar models seen along their normal; dragging moves the view. */
  stance: 'flat' | 'orbit';
  private look: Look;
  private goal: { from: Look; to: Look; begun: number } | null = null;
  private aspect = 1;
  private readonly base = new Quaternion();
  private readonly viewHeight = new Vector2(1, 1);

  constructor(
    up: Vector3,
    planar: boolean,
    centre: Vector3,
    private readonly cloud: Bounds['cloud'],
    private readonly radius: number,
  ) {
    if (Math.abs(up.y - 1) < 1e-9) this.base.setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2);
    else this.base.setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.projection = planar ? 'orthographic' : 'perspective';
    this.stance = planar ? 'flat' : 'orbit';
    const [yaw, pitch] = VIEWS[planar ? 'front' : 'iso'];
    this.look = { target: centre.clone(), yaw, pitch, distance: radius / Math.sin(FIELD / 2) };
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.projection === 'perspective' ? this.perspective : this.orthographic;
  }

  private axes(look: Look): { back: Vector3; up: Vector3; right: Vector3 } {
    const { yaw, pitch } = look;
    const back = new Vector3(
      Math.sin(yaw) * Math.cos(pitch),
      -Math.cos(yaw) * Math.cos(pitch),
      Math.sin(pitch),
    ).applyQuaternion(this.base);
    const up = new Vector3(
      -Math.sin(yaw) * Math.sin(pitch),
      Math.cos(yaw) * Math.sin(pitch),
      Math.cos(pitch),
    ).applyQuaternion(this.base);
    return { back, up, right: new Vector3().crossVectors(up, back) };
  }

  /** Updates the cameras. Returns true while the view is still moving. */
  place(now: number): boolean {
    if (this.goal) {
      const s = Math.min(1, (now - this.goal.begun) / EASE_MS);
      const e = s * s * (3 - 2 * s);
      const { from, to } = this.goal;
      this.look = {
        target: from.target.clone().lerp(to.target, e),
        yaw: from.yaw + (to.yaw - from.yaw) * e,
        pitch: from.pitch + (to.pitch - from.pitch) * e,
        distance: from.distance * (to.distance / from.distance) ** e,
      };
      if (s >= 1) this.goal = null;
    }
    const { back, up } = this.axes(this.look);
    const { target, distance } = this.look;
    const half = distance * Math.tan(FIELD / 2);
    this.viewHeight.set(2 * half * this.aspect, 2 * half);
    const far = distance + 40 * this.radius;
    this.perspective.aspect = this.aspect;
    this.perspective.near = Math.max(distance / 200, distance - 40 * this.radius);
    this.perspective.far = far;
    Object.assign(this.orthographic, {
      left: -half * this.aspect,
      right: half * this.aspect,
      top: half,
      bottom: -half,
      near: -20 * this.radius,
      far,
    });
    for (const camera of [this.perspective, this.orthographic]) {
      camera.position.copy(target).addScaledVector(back, distance);
      camera.up.copy(up);
      camera.lookAt(target);
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
    }
    return this.goal !== null;
  }

  resize(aspect: number): void {
    this.aspect = aspect;
  }

  /** World length of a pixel at the target. */
  pixel(height: number): number {
    return this.viewHeight.y / Math.max(1, height);
  }

  private go(to: Look, now: number | null): void {
    if (now === null) {
      this.look = to;
      this.goal = null;
    } else {
      this.goal = { from: this.look, to, begun: now };
    }
  }

  /**
   * A view that contains all points – of the whole run or of one instant – from the current or a named direction.
   */
  fit(now: number | null, view?: View, instant?: Bounds['cloud']): void {
    const cloud = instant ?? this.cloud;
    const from = this.goal?.to ?? this.look;
    const [yaw, pitch] = view ? VIEWS[view] : [from.yaw, from.pitch];
    const look: Look = { ...from, yaw, pitch };
    const { back, up, right } = this.axes(look);
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    const seen = new Vector3();
    for (const { at, reach } of cloud) {
      seen.set(at.dot(right), at.dot(up), at.dot(back));
      low.min(seen.clone().subScalar(reach));
      high.max(seen.addScalar(reach));
    }
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const target = new Vector3()
      .addScaledVector(right, middle.x)
      .addScaledVector(up, middle.y)
      .addScaledVector(back, middle.z);
    const slope = Math.tan(FIELD / 2) / MARGIN;
    const least = ((instant ? 1e-3 : 0.15) * this.radius) / slope;
    let distance = Math.max(least, (high.y - low.y) / 2 / slope, (high.x - low.x) / 2 / slope / this.aspect);
    if (this.projection === 'perspective') {
      distance = least;
      for (const { at, reach } of cloud) {
        const across = (Math.abs(at.dot(right) - middle.x) + reach) / this.aspect;
        const upright = Math.abs(at.dot(up) - middle.y) + reach;
        distance = Math.max(distance, Math.max(across, upright) / slope + at.dot(back) - middle.z);
      }
    }
    this.go({ target, yaw, pitch, distance }, now);
  }

  orbit(dx: number, dy: number): void {
    this.goal = null;
    this.look = {
      ...this.look,
      yaw: this.look.yaw - dx,
      pitch: Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.look.pitch + dy)),
    };
  }

  /** Moves the view by pixels. */
  pan(dx: number, dy: number, height: number): void {
    this.goal = null;
    const { up, right } = this.axes(this.look);
    const scale = this.pixel(height);
    this.look = {
      ...this.look,
      target: this.look.target
        .clone()
        .addScaledVector(right, -dx * scale)
        .addScaledVector(up, dy * scale),
    };
  }

  /** Zooms about a point of the screen given in -1..1. */
  zoom(factor: number, x = 0, y = 0): void {
    this.goal = null;
    const { up, right } = this.axes(this.look);
    const distance = Math.min(400 * this.radius, Math.max(0.002 * this.radius, this.look.distance * factor));
    const half = (this.look.distance - distance) * Math.tan(FIELD / 2);
    const target = this.look.target
      .clone()
      .addScaledVector(right, x * half * this.aspect)
      .addScaledVector(up, y * half);
    this.look = { ...this.look, distance, target };
  }

  follow(step: Vector3): void {
    this.look.target.add(step);
    this.goal?.to.target.add(step);
    this.goal?.from.target.add(step);
  }

  /** Looks at a point so closely that `reach` around it fills a good part of the view; never from further away than now. */
  closeIn(point: Vector3, reach: number, now: number | null): void {
    const from = this.goal?.to ?? this.look;
    const near = reach > 0 ? reach / Math.tan(FIELD / 2) / Math.min(1, this.aspect) : from.distance;
    this.go({ ...from, target: point.clone(), distance: Math.min(from.distance, near) }, now);
  }
}
