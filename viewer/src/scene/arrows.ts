/** Arrows for reactions, contact forces, applied loads and velocities; arcs for moments; dots at contact points. */

import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  MeshLambertMaterial,
  SphereGeometry,
  TorusGeometry,
  type BufferGeometry,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Arrow, Load, Point, SceneData } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { niceBelow } from '../math/format.ts';
import { percentile } from '../math/percentile.ts';
import { turnFromZ } from '../math/pose.ts';
import type { Palette } from '../state/palette.ts';
import type { Shown } from '../state/store.ts';
import type { Bounds } from './bounds.ts';
import { LAYER, layered } from './flat.ts';
import { setInstance } from './instances.ts';
import type { Frame, Layer } from './layer.ts';

const SWITCH: Record<Load, Shown> = {
  reaction: 'reactions',
  contact: 'contacts',
  applied: 'applied',
  velocity: 'velocities',
};

class Pool {
  readonly mesh: InstancedMesh;
  private next = 0;

  constructor(geometry: BufferGeometry, capacity: number) {
    // Arrows start inside bodies, so they are drawn on top of everything.
    const material = new MeshLambertMaterial({ depthTest: false, transparent: true });
    layered(material, LAYER.arrow);
    this.mesh = new InstancedMesh(geometry, material, Math.max(1, capacity));
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => undefined;
    this.mesh.renderOrder = 10;
  }

  begin(): void {
    this.next = 0;
  }

  add(p: Point, along: Point, scale: Point, colour: Color): void {
    if (this.next >= this.mesh.instanceMatrix.count) return;
    setInstance(this.mesh, this.next, p, turnFromZ(along), scale);
    this.mesh.setColorAt(this.next, colour);
    this.next += 1;
  }

  end(): void {
    this.mesh.count = this.next;
    this.mesh.visible = this.next > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Three quarters of a turn with a head, about z, of radius one. */
function arcGeometry(): BufferGeometry {
  const sweep = 1.5 * Math.PI;
  const arc = new TorusGeometry(1, 0.07, 8, 40, sweep).toNonIndexed();
  const head = new ConeGeometry(0.24, 0.6, 14).toNonIndexed().translate(0, 0.25, 0).translate(1, 0, 0).rotateZ(sweep);
  return mergeGeometries([arc, head]);
}

/** Thickness of links as a fraction of the model: usually, of a selected reaction, and of the others beside it. */
const LINK = 0.003;
const LINK_CHOSEN = 0.009;
const LINK_OTHER = 0.0012;
/** Size of the dots on reactions that trade load with the selected one. */
const MARKED_DOT = 0.022;

/** Arrows of reactions by the sets within which they trade load. */
export function tradingSets(arrows: Arrow[]): Arrow[][] {
  const sets = new Map<number, Arrow[]>();
  for (const arrow of arrows)
    for (const set of arrow.trades ?? []) sets.set(set, [...(sets.get(set) ?? []), arrow]);
  return [...sets.values()].filter((set) => set.length > 1);
}

/** Names of the other reactions with which one trades load. */
export function partners(sets: Arrow[][], name: string): string[] {
  const own = sets.filter((set) => set.some((arrow) => arrow.name === name)).flat();
  return [...new Set(own.map((arrow) => arrow.name))].filter((other) => other !== name);
}

export interface ArrowKey {
  kind: 'force' | 'velocity' | 'moment';
  value: number;
  unit: string;
  length: number;
}

export class Arrows implements Layer {
  readonly object = new Group();
  readonly present: Set<Shown>;
  /** Whether some reactions are not unique. */
  readonly open: boolean;
  private readonly shafts: Pool;
  private readonly heads: Pool;
  private readonly arcs: Pool;
  private readonly dots: Pool;
  private readonly links: Pool;
  /** Arrows that trade load, set by set. */
  private readonly sets: Arrow[][];
  private readonly arrows: Arrow[];
  private readonly size: number;
  /** Metres per N, per m/s and per N m at scale one; computed at first use. */
  private readonly scales = new Map<'force' | 'velocity' | 'moment', number>();
  private readonly tint = new Map<string, Color>();

  constructor(
    private readonly run: Run,
    scene: SceneData,
    bounds: Bounds,
  ) {
    this.arrows = scene.arrows;
    this.size = bounds.size;
    this.present = new Set(scene.arrows.map(({ load }) => SWITCH[load]));
    if (scene.arrows.some(({ moment }) => moment?.some((name) => name !== ''))) this.present.add('moments');
    const count = scene.arrows.length;
    this.shafts = new Pool(new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), count);
    this.heads = new Pool(new ConeGeometry(1, 1, 18).rotateX(Math.PI / 2).translate(0, 0, 0.5), count);
    this.arcs = new Pool(arcGeometry(), count);
    this.dots = new Pool(new SphereGeometry(1, 16, 12), count);
    this.open = scene.arrows.some(({ determinacy }) => determinacy !== undefined);
    this.sets = tradingSets(scene.arrows);
    const pairs = this.sets.reduce((sum, set) => sum + set.length - 1, 0);
    this.links = new Pool(new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5), pairs);
    this.object.add(this.shafts.mesh, this.heads.mesh, this.arcs.mesh, this.dots.mesh, this.links.mesh);
  }

  /** The 95th percentile of all magnitudes of a kind becomes a third of the model's size. */
  private scale(kind: 'force' | 'velocity' | 'moment'): number {
    const known = this.scales.get(kind);
    if (known !== undefined) return known;
    const sizes: number[] = [];
    const rows = this.run.times.length;
    const stride = Math.max(1, Math.floor(rows / 400));
    for (const arrow of this.arrows) {
      if (kind !== 'moment' && (arrow.load === 'velocity') !== (kind === 'velocity')) continue;
      const names = kind === 'moment' ? arrow.moment : arrow.vector;
      if (!names) continue;
      const parts = names.map((name) => (name === '' ? null : this.run.values(name)));
      for (let row = 0; row < rows; row += stride) {
        const length = Math.hypot(...parts.map((values) => (values ? values[row] : 0)));
        if (length > 0) sizes.push(length);
      }
    }
    const typical = percentile(sizes, 0.95);
    const reach = kind === 'moment' ? 0.1 : 0.34;
    const scale = typical > 0 ? (reach * this.size) / typical : 0;
    this.scales.set(kind, scale);
    return scale;
  }

  update(frame: Frame): void {
    const { shown, forceScale, velocityScale } = frame.state;
    const pools = [this.shafts, this.heads, this.arcs, this.dots, this.links];
    for (const pool of pools) pool.begin();
    if (frame.posed === 'run') {
      const marked = new Set(this.chosenSets(frame).flatMap((set) => set.map(({ name }) => name)));
      for (const arrow of this.arrows) {
        const on = shown[SWITCH[arrow.load]];
        const turning = shown.moments && arrow.moment !== undefined && arrow.load !== 'velocity';
        if (!on && !turning) continue;
        const at = this.placeOf(arrow, frame);
        if (!at.every(Number.isFinite)) continue;
        const colour = this.colour(arrow.determinacy ?? arrow.load);
        if (on && arrow.load === 'reaction' && marked.has(arrow.name)) {
          const wide = MARKED_DOT * this.size;
          this.dots.add(at, [0, 0, 1], [wide, wide, wide], colour);
        }
        if (on) {
          const kind = arrow.load === 'velocity' ? 'velocity' : 'force';
          const factor = this.scale(kind) * (kind === 'velocity' ? velocityScale : forceScale);
          this.straight(arrow, at, this.vector(arrow.vector, frame.instant), factor, colour);
        }
        if (turning && arrow.moment)
          this.round(at, this.vector(arrow.moment, frame.instant), this.scale('moment') * forceScale);
      }
      if (shown.reactions) this.linkSets(frame);
    }
    for (const pool of pools) pool.end();
  }

  /** The sets of the selected reaction. */
  private chosenSets(frame: Frame): Arrow[][] {
    const name = frame.state.picked?.name;
    return name === undefined ? [] : this.sets.filter((set) => set.some((arrow) => arrow.name === name));
  }

  /** Names of the reactions with which a selected one trades load. */
  partners(name: string): string[] {
    return partners(this.sets, name);
  }

  /** Lines between the points of action of reactions that trade load; those of the selected reaction stand out. */
  private linkSets(frame: Frame): void {
    const chosen = this.chosenSets(frame);
    for (const set of this.sets) {
      const relative = chosen.includes(set) ? LINK_CHOSEN : chosen.length > 0 ? LINK_OTHER : LINK;
      const wide = relative * this.size;
      for (let k = 1; k < set.length; k += 1) {
        const [from, to] = [this.placeOf(set[k - 1], frame), this.placeOf(set[k], frame)];
        const along = to.map((part, i) => part - from[i]) as Point;
        const length = Math.hypot(...along);
        if (length > 0 && Number.isFinite(length))
          this.links.add(from, along, [wide, wide, length], this.colour('not_unique'));
      }
    }
  }

  private placeOf(arrow: Arrow, frame: Frame): Point {
    const onFigure = frame.poses.place(arrow.spot.figure, arrow.spot.p);
    if (!arrow.at) return onFigure;
    const own = arrow.at.map((name) => this.run.at(name, frame.instant)) as Point;
    return own.every(Number.isFinite) ? own : onFigure;
  }

  private vector(names: [string, string, string], instant: number): Point {
    return names.map((name) => this.run.at(name, instant)) as Point;
  }

  private straight(arrow: Arrow, at: Point, vector: Point, factor: number, colour: Color): void {
    const value = Math.hypot(...vector);
    if (!(value > 0) || !Number.isFinite(value)) return;
    if (arrow.load === 'contact')
      this.dots.add(at, [0, 0, 1], [0.014 * this.size, 0.014 * this.size, 0.014 * this.size], colour);
    const length = Math.min(value * factor, 6 * this.size);
    if (!(length > 0.004 * this.size)) return;
    const unit = vector.map((part) => part / value) as Point;
    const head = Math.min(0.075 * this.size, 0.45 * length);
    const wide = 0.32 * head;
    this.shafts.add(at, unit, [0.009 * this.size, 0.009 * this.size, length - head], colour);
    const tip = at.map((part, k) => part + unit[k] * (length - head)) as Point;
    this.heads.add(tip, unit, [wide, wide, head], colour);
  }

  private round(at: Point, moment: Point, factor: number): void {
    const value = Math.hypot(...moment);
    if (!(value > 0) || !Number.isFinite(value)) return;
    const radius = Math.min(value * factor, 1.5 * this.size);
    if (radius > 0.006 * this.size) this.arcs.add(at, moment, [radius, radius, radius], this.colour('moment'));
  }

  private colour(name: string): Color {
    return this.tint.get(name) ?? new Color('#888888');
  }

  recolour(palette: Palette): void {
    for (const name of ['reaction', 'contact', 'applied', 'velocity', 'moment'] as const)
      this.tint.set(name, new Color(palette[name]));
    this.tint.set('not_unique', new Color(palette.trouble));
    this.tint.set('partly', new Color(palette.trouble).lerp(new Color(palette.reaction), 0.5));
  }

  /** Legend of the arrows: a round value and its length. */
  key(kind: 'force' | 'velocity' | 'moment', factor: number): ArrowKey | null {
    const scale = this.scale(kind) * factor;
    if (!(scale > 0)) return null;
    const value = niceBelow((0.4 * this.size) / scale);
    return { kind, value, unit: kind === 'force' ? 'N' : kind === 'velocity' ? 'm/s' : 'N m', length: value * scale };
  }

  /** Current point of action of an element's arrow. */
  placeNamed(name: string, frame: Frame): Point | null {
    const arrow = this.arrows.find((other) => other.name === name);
    return arrow ? this.placeOf(arrow, frame) : null;
  }
}
