/** The 3D scene: builds all layers, redraws after changes, and finds what is at a position. */

import { Color, DirectionalLight, HemisphereLight, Scene, Vector2, Vector3, WebGLRenderer } from 'three';
import type { Point, Turn } from '../data/contract.ts';
import { findElement } from '../data/find.ts';
import type { Run } from '../data/run.ts';
import { modeScale, poseMode } from '../math/modes.ts';
import { Poses } from '../math/pose.ts';
import type { Palette } from '../state/palette.ts';
import type { Picked, Store } from '../state/store.ts';
import { Arrows } from './arrows.ts';
import { Beams } from './beams.ts';
import { Bodies } from './bodies.ts';
import { boundsOf, cloudOf, figureReach, type Bounds } from './bounds.ts';
import { Eye, type View } from './camera.ts';
import { flatness } from './flat.ts';
import { Ground } from './ground.ts';
import { Joints } from './joints.ts';
import { Labels } from './labels.ts';
import type { Frame, Layer } from './layer.ts';
import { Links } from './links.ts';
import { Markers } from './markers.ts';
import { screen } from './outline.ts';
import { captioned, pictureRatio, type Caption } from './picture.ts';
import { Places } from './places.ts';
import { steer } from './steer.ts';
import { Trails } from './trails.ts';

/** Space around a followed body, relative to its size, so that connected bodies are visible too. */
const FOLLOW_ROOM = 2.5;

/** Upward direction: y for planar models, else opposite to gravity, or z without gravity. */
export function upOf(run: Run): Vector3 {
  const { space, gravity } = run.header.scene;
  if (space === 'planar') return new Vector3(0, 1, 0);
  const down = new Vector3(...gravity);
  return down.length() > 0 ? down.normalize().negate() : new Vector3(0, 0, 1);
}

export class Stage {
  readonly eye: Eye;
  readonly labels = new Labels();
  readonly bounds: Bounds;
  readonly arrows: Arrows;
  readonly markers: Markers;
  readonly ground: Ground;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly bodies: Bodies;
  private readonly beams: Beams;
  private readonly joints: Joints;
  private readonly links: Links;
  private readonly trails: Trails;
  private readonly places: Places;
  private readonly layers: Layer[];
  private readonly ghosts: { run: Run; poses: Poses; layers: Layer[] }[];
  private readonly poses: Poses;
  private readonly light = new DirectionalLight(0xffffff, 1.9);
  private readonly sky = new HemisphereLight(0xffffff, 0xb8bcc4, 1.75);
  private stale = true;
  private resolution = 1;
  private lastFollowed: Vector3 | null = null;
  /** Whether the camera moves close to a body when it starts to follow it, or keeps its distance. */
  private followLook: 'close' | 'keep' = 'close';
  private clicks = { x: -1, y: -1, taken: 0 };
  private pointer: { x: number; y: number } | null = null;
  readonly spent = { drawMs: 0, frames: 0 };

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly run: Run,
    ghosts: Run[],
    private readonly store: Store,
  ) {
    const data = run.header.scene;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.info.autoReset = true;
    this.bounds = boundsOf(run);
    const up = upOf(run);
    this.eye = new Eye(up, data.space === 'planar', this.bounds.centre, this.bounds.cloud, this.bounds.radius);
    this.bodies = new Bodies(data, 'solid');
    this.beams = new Beams(data, 'solid');
    this.joints = new Joints(run, data, this.bounds);
    this.links = new Links(data, this.bounds, 'solid');
    this.arrows = new Arrows(run, data, this.bounds);
    this.markers = new Markers(data, this.bounds);
    this.trails = new Trails(run);
    const pickable = { scene: data, bodies: this.bodies, beams: this.beams, joints: this.joints, links: this.links };
    this.places = new Places(run, pickable, this.arrows, this.eye, canvas);
    this.ground = new Ground(data, this.bounds, up);
    this.layers = [
      this.ground,
      this.bodies,
      this.beams,
      this.joints,
      this.links,
      this.arrows,
      this.markers,
      this.trails,
    ];
    this.poses = new Poses(run.figureCount);
    this.ghosts = ghosts.map((other) => {
      const { scene } = other.header;
      const layers = [new Bodies(scene, 'ghost'), new Beams(scene, 'ghost'), new Links(scene, this.bounds, 'ghost')];
      return { run: other, poses: new Poses(other.figureCount), layers };
    });
    for (const layer of [...this.layers, ...this.ghosts.flatMap(({ layers }) => layers)]) this.scene.add(layer.object);
    this.scene.add(this.sky, this.light, this.light.target);
    this.sky.position.copy(up);
    steer(canvas, this.eye, {
      changed: () => this.touch(),
      click: (x, y) => this.click(x, y),
      hover: (x, y) => {
        this.pointer = { x, y };
        this.touch();
      },
      leave: () => {
        this.pointer = null;
        if (this.store.state.hovered) this.store.set({ hovered: null });
        this.touch();
      },
    });
    store.on(['time', 'picked', 'hovered', 'shown', 'forceScale', 'velocityScale', 'follow', 'mode'], () =>
      this.touch(),
    );
    store.on(['picked'], ({ picked }) => this.trails.set(this.figuresOf(picked)));
    store.on(['follow'], () => {
      this.lastFollowed = null;
    });
  }

  touch(): void {
    this.stale = true;
  }

  recolour(palette: Palette): void {
    this.scene.background = new Color(palette.sheet);
    for (const layer of [...this.layers, ...this.ghosts.flatMap(({ layers }) => layers)]) layer.recolour(palette);
    this.touch();
  }

  /** Pixels of the drawing per pixel of the screen: fewer while slow machines play, all for a still image. */
  sharpen(resolution: number): void {
    if (resolution === this.resolution) return;
    this.resolution = resolution;
    this.resize(this.canvas.clientWidth, this.canvas.clientHeight);
  }

  resize(width: number, height: number, ratio = Math.min(window.devicePixelRatio || 1, 2) * this.resolution): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    screen.size.value.set(width * ratio, height * ratio);
    screen.ratio.value = ratio;
    this.trails.resize(new Vector2(width, height));
    this.eye.resize(width / Math.max(1, height));
    this.touch();
  }

  private frame(): Frame {
    return {
      run: this.run,
      instant: this.store.state.time,
      poses: this.poses,
      state: this.store.state,
      posed: this.store.state.mode ? 'mode' : 'run',
    };
  }

  private setPoses(): void {
    const { mode, time } = this.store.state;
    const shape = mode ? this.run.header.modes[mode.index] : undefined;
    if (mode && shape) {
      this.run.posesAt(this.run.begin, this.poses.data);
      poseMode(shape, modeScale(shape, 0.3 * this.bounds.size) * mode.amplitude, mode.phase, this.poses);
    } else {
      this.run.posesAt(time, this.poses.data);
    }
  }

  /** Updates all layers; redraws if anything changed. Returns whether it drew. */
  draw(now: number): boolean {
    const moving = this.eye.place(now);
    if (!this.stale && !moving) return false;
    this.stale = false;
    const begun = performance.now();
    this.setPoses();
    this.followBody();
    if (this.eye.place(now)) this.stale = true;
    flatness.value = this.eye.stance === 'flat' ? 1 : 0;
    const frame = this.frame();
    const { picked, hovered } = this.store.state;
    this.bodies.emphasise(this.bodyOf(picked), this.bodyOf(hovered));
    this.beams.emphasise(picked?.kind === 'beam' ? picked.name : hovered?.kind === 'beam' ? hovered.name : null);
    for (const layer of this.layers) layer.update(frame);
    for (const { run, poses, layers } of this.ghosts) {
      run.posesAt(frame.instant, poses.data);
      const shadow: Frame = { ...frame, run, poses };
      for (const layer of layers) {
        layer.update(shadow);
        if (frame.posed === 'mode') layer.object.visible = false;
      }
    }
    const camera = this.eye.camera;
    this.light.position
      .copy(camera.position)
      .add(
        new Vector3(-0.5, 0.8, 0)
          .applyQuaternion(camera.quaternion)
          .multiplyScalar(camera.position.distanceTo(this.bounds.centre) * 0.6),
      );
    this.light.target.position.copy(this.bounds.centre);
    this.renderer.render(this.scene, camera);
    this.hoverNow();
    this.label();
    this.spent.drawMs += performance.now() - begun;
    this.spent.frames += 1;
    return true;
  }

  private followBody(): void {
    const { follow } = this.store.state;
    if (follow === null) return;
    const at = this.places.anchor(findElement(this.run, follow) ?? { kind: 'body', name: follow }, this.frame());
    if (!at) return;
    const point = new Vector3(...at);
    if (this.lastFollowed) this.eye.follow(point.clone().sub(this.lastFollowed));
    else if (this.followLook === 'close') {
      const figure = this.run.figure(follow);
      const reach = figure === undefined ? 0 : figureReach(this.run, figure);
      this.eye.closeIn(point, FOLLOW_ROOM * (reach > 0 ? reach : 0.3 * this.bounds.size), this.ease());
    }
    this.followLook = 'close';
    this.lastFollowed = point;
  }

  /** The first view: of the whole run, or following a model that travels. */
  firstLook(): void {
    const { traveller } = this.bounds;
    if (traveller === null) {
      this.eye.fit(null);
      return;
    }
    this.setPoses();
    this.eye.fit(null, undefined, cloudOf(this.run, this.poses));
    this.followLook = 'keep';
    this.store.set({ follow: traveller });
  }

  /** Start time of an animated change of view; no animation if the user prefers reduced motion. */
  private ease(): number | null {
    return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? null : performance.now();
  }

  private bodyOf(picked: Picked | null): number | null {
    return picked?.kind === 'body' ? (this.run.figure(picked.name) ?? null) : null;
  }

  private figuresOf(picked: Picked | null): number[] {
    const figure = this.bodyOf(picked);
    if (figure !== null && figure > 0) return [figure];
    const node = picked?.kind === 'beam' ? this.beams.middleNode(picked.name) : null;
    return node === null ? [] : [node];
  }

  private click(x: number, y: number): void {
    const found = this.places.under(x, y);
    const same = Math.hypot(x - this.clicks.x, y - this.clicks.y) < 3;
    const taken = same ? this.clicks.taken + 1 : 0;
    this.clicks = { x, y, taken };
    this.store.set({ picked: found.length > 0 ? found[taken % found.length] : null });
  }

  private hoverNow(): void {
    if (!this.pointer || this.store.state.playing) return;
    const found = this.places.under(this.pointer.x, this.pointer.y)[0] ?? null;
    const before = this.store.state.hovered;
    if (found?.name !== before?.name || found?.kind !== before?.kind) this.store.set({ hovered: found });
  }

  private label(): void {
    const { picked, hovered, shown } = this.store.state;
    const frame = this.frame();
    const wanted: Parameters<Labels['show']>[0] = [];
    const add = (thing: Picked, className: string): void => {
      const key = `${thing.kind} ${thing.name}`;
      const at = wanted.some((label) => label.key === key) ? null : this.places.label(thing, frame);
      if (at) wanted.push({ key, text: thing.name, className, ...at });
    };
    if (picked) add(picked, 'picked');
    if (hovered) add(hovered, 'hovered');
    if (shown.names) {
      for (const figure of this.run.header.scene.figures) {
        if (figure.role === 'body') add({ kind: 'body', name: figure.name }, '');
      }
    }
    this.labels.show(wanted);
  }

  view(view: View | 'fit' | 'instant'): void {
    if (view === 'instant') {
      this.setPoses();
      const cloud = cloudOf(this.run, this.poses);
      this.eye.fit(this.ease(), undefined, cloud.length > 0 ? cloud : undefined);
    } else {
      if (view !== 'fit') this.eye.stance = this.eye.stance === 'flat' && view === 'front' ? 'flat' : 'orbit';
      this.eye.fit(this.ease(), view === 'fit' ? undefined : view);
    }
    this.touch();
  }

  drawn(name: string): { p: Point; q: Turn | null } | null {
    const figure = this.run.figure(name);
    if (figure === undefined) return null;
    const body = this.bodies.drawn(figure);
    if (body) return body;
    const ring = this.beams.drawn(figure);
    return ring ? { p: ring, q: null } : null;
  }

  /** A point of the window at which a click selects this element. */
  project(name: string): { x: number; y: number } | null {
    const thing = findElement(this.run, name);
    return thing ? this.places.project(thing, this.frame()) : null;
  }

  info(): { drawCalls: number; geometries: number; textures: number; triangles: number } {
    const { render, memory } = this.renderer.info;
    return {
      drawCalls: render.calls,
      geometries: memory.geometries,
      textures: memory.textures,
      triangles: render.triangles,
    };
  }

  /** Saves the current picture as a file: redrawn at print size, then restored. */
  picture(caption: Pick<Caption, 'title' | 'time'>, palette: Palette, done: (blob: Blob) => void): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = pictureRatio(clientWidth, window.devicePixelRatio || 1);
    this.resize(clientWidth, clientHeight, ratio);
    this.draw(performance.now());
    const made = captioned(
      this.canvas,
      {
        ...caption,
        pixel: this.eye.pixel(this.canvas.height),
        depth: this.eye.projection === 'perspective' ? 'middle' : 'any',
      },
      palette,
    );
    this.resize(clientWidth, clientHeight);
    this.draw(performance.now());
    made.toBlob((blob) => {
      if (blob) done(blob);
    });
  }
}
