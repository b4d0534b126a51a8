/** Straight round bars between pairs of points, all in one draw call: dashpots, rods, ropes, dashes. */

import { Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, MeshLambertMaterial } from 'three';
import type { Point, Turn } from '../data/contract.ts';
import { turnFromZ } from '../math/pose.ts';
import { layered } from './flat.ts';
import { hideInstance, setInstance } from './instances.ts';

export class Bars {
  readonly mesh: InstancedMesh;
  private next = 0;
  private readonly q: Turn = [1, 0, 0, 0];
  private readonly colour = new Color();

  constructor(
    private readonly capacity: number,
    layer: number,
    opacity = 1,
  ) {
    const material = new MeshLambertMaterial({ transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    layered(material, layer);
    this.mesh = new InstancedMesh(
      new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2),
      material,
      Math.max(1, capacity),
    );
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
  }

  begin(): void {
    this.next = 0;
  }

  add(a: Point, b: Point, radius: number, colour: string): void {
    if (this.next >= this.capacity) return;
    const axis: Point = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const length = Math.hypot(axis[0], axis[1], axis[2]);
    if (!(length > 0) || !Number.isFinite(length)) {
      hideInstance(this.mesh, this.next);
    } else {
      const middle: Point = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
      setInstance(this.mesh, this.next, middle, turnFromZ(axis, this.q), [radius, radius, length]);
    }
    this.mesh.setColorAt(this.next, this.colour.set(colour));
    this.next += 1;
  }

  end(): void {
    this.mesh.count = this.next;
    this.mesh.visible = this.next > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}
