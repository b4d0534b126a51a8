/** Springs, dampers, ropes, rods: all line elements. */

import { Group } from 'three';
import type { Link, Point, SceneData } from '../data/contract.ts';
import { hanging } from '../math/sag.ts';
import { ARC, wrapped } from '../math/wrap.ts';
import type { Palette } from '../state/palette.ts';
import { Bars } from './bars.ts';
import type { Bounds } from './bounds.ts';
import { Coils } from './coils.ts';
import { LAYER } from './flat.ts';
import type { Frame, Layer } from './layer.ts';

const SAG = 18;
const DASHES = 15;

function mix(a: Point, b: Point, s: number): Point {
  return [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];
}

export class Links implements Layer {
  readonly object = new Group();
  private readonly bars: Bars;
  private readonly coils: Coils;
  private readonly paths: Point[][];
  private palette: Palette | null = null;
  private readonly down: Point;
  private readonly rest: number[] = [];
  /** Radii of the pulleys of each link; 0 without a pulley. */
  private readonly radii: number[][];

  constructor(
    private readonly scene: SceneData,
    private readonly bounds: Bounds,
    private readonly style: 'solid' | 'ghost',
  ) {
    const springs = scene.links.filter((link) => link.line === 'spring' || link.line === 'spring_damper').length;
    const most = scene.links.reduce(
      (sum, link) => sum + Math.max(1, link.spots.length - 1) * (Math.max(SAG, DASHES, 4) + ARC * SAG),
      0,
    );
    const opacity = style === 'ghost' ? 0.35 : 1;
    this.bars = new Bars(most, LAYER.link, opacity);
    this.coils = new Coils(springs, opacity);
    this.object.add(this.bars.mesh, this.coils.mesh);
    this.paths = scene.links.map((link) => link.spots.map(() => [0, 0, 0]));
    this.radii = scene.links.map((link) =>
      link.spots.map((spot, k) => {
        if (link.line !== 'rope' || k === 0 || k + 1 === link.spots.length) return 0;
        const round = scene.figures[spot.figure].visuals.find(
          ({ form, p }) =>
            (form.type === 'sphere' || form.type === 'cylinder') && Math.hypot(...p.map((x, i) => x - spot.p[i])) < 1e-9,
        );
        return round && 'radius' in round.form ? round.form.radius : 0;
      }),
    );
    const g = Math.hypot(...scene.gravity);
    const fallback: Point = scene.space === 'planar' ? [0, -1, 0] : [0, 0, -1];
    this.down = g > 0 ? [scene.gravity[0] / g, scene.gravity[1] / g, scene.gravity[2] / g] : fallback;
  }

  /** Current paths of the links, for picking. */
  segments(): { name: string; path: Point[] }[] {
    return this.scene.links.map((link, k) => ({ name: link.name, path: this.paths[k] }));
  }

  update(frame: Frame): void {
    this.object.visible = frame.state.shown.links && (this.style === 'solid' || frame.state.shown.ghost);
    if (!this.palette) return;
    this.bars.begin();
    let coil = 0;
    this.scene.links.forEach((link, k) => {
      const path = this.paths[k];
      link.spots.forEach((spot, j) => frame.poses.place(spot.figure, spot.p, path[j]));
      if (path.length < 2) return;
      coil = this.draw(link, k, path, frame, coil);
    });
    this.bars.end();
    this.coils.end();
  }

  private draw(link: Link, index: number, path: Point[], frame: Frame, coil: number): number {
    const palette = this.palette as Palette;
    const size = this.bounds.size;
    const thin = 0.006 * size;
    const a = path[0];
    const b = path[path.length - 1];
    const chord = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    this.rest[index] ??= chord;
    const rest = this.rest[index];
    const marked = (name: string): boolean => frame.state.picked?.name === name || frame.state.hovered?.name === name;
    const tone = (plain: string): string =>
      this.style === 'ghost' ? palette.ghost : marked(link.name) ? palette.accent : plain;
    const radius = Math.min(0.045 * size, 0.16 * Math.max(rest, 0.1 * size));
    switch (link.line) {
      case 'spring':
      case 'spring_damper':
        this.coils.place(coil, a, b, radius, Math.min(thin, 0.18 * radius));
        coil += 1;
        if (link.line === 'spring_damper') this.pot(a, b, rest, 0.45 * radius, tone(palette.link));
        break;
      case 'damper':
        this.pot(a, b, rest, 0.6 * radius, tone(palette.link));
        break;
      case 'actuator':
        this.pot(a, b, rest, 0.6 * radius, tone(palette.applied));
        break;
      case 'bushing':
        this.bars.add(a, b, radius * 0.8, tone(palette.spring));
        if (chord < 0.01 * size)
          this.bars.add(
            mix(a, [a[0], a[1], a[2] - 0.02 * size], 1),
            [a[0], a[1], a[2] + 0.02 * size],
            0.03 * size,
            tone(palette.spring),
          );
        break;
      case 'rope':
      case 'cable':
        this.rope(wrapped(path, this.radii[index]), link.length, 0.7 * thin, tone(palette.rope));
        break;
      case 'separator':
        for (let k = 0; k < DASHES; k += 2)
          this.bars.add(mix(a, b, k / DASHES), mix(a, b, (k + 1) / DASHES), 0.6 * thin, tone(palette.muted));
        break;
      case 'rod':
        for (let k = 0; k + 1 < path.length; k += 1) this.bars.add(path[k], path[k + 1], thin, tone(palette.link));
        break;
    }
    return coil;
  }

  /** A dashpot: a cylinder on the first half, and a piston rod. */
  private pot(a: Point, b: Point, rest: number, radius: number, colour: string): void {
    const chord = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    if (!(chord > 0)) return;
    const inner = 0.15 * rest;
    const outer = Math.min(0.55 * rest, 0.92 * chord);
    this.bars.add(a, b, 0.35 * radius, colour);
    if (outer > inner) this.bars.add(mix(a, b, inner / chord), mix(a, b, outer / chord), radius, colour);
  }

  private rope(path: Point[], length: number | undefined, radius: number, colour: string): void {
    let total = 0;
    const spans = path
      .slice(1)
      .map((point, k) => Math.hypot(point[0] - path[k][0], point[1] - path[k][1], point[2] - path[k][2]));
    for (const span of spans) total += span;
    // A polygonal arc is slightly shorter than the rope; that is not slack.
    const exact = path.length > ARC ? 5e-3 : 1e-6;
    const slack = length !== undefined && length > total * (1 + exact) ? length - total : 0;
    spans.forEach((span, k) => {
      const share = slack * (total > 0 ? span / total : 1 / spans.length);
      const points = share > 0 ? hanging(path[k], path[k + 1], share, this.down, SAG) : [path[k], path[k + 1]];
      for (let j = 0; j + 1 < points.length; j += 1) this.bars.add(points[j], points[j + 1], radius, colour);
    });
  }

  recolour(palette: Palette): void {
    this.palette = palette;
    this.coils.recolour(this.style === 'ghost' ? palette.ghost : palette.spring);
  }
}
