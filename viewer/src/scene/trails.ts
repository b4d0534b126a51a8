/** Paths of the mass centres of selected bodies: the past strong, the whole path faint. */

import { Color, Group, type Vector2 } from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import type { Point } from '../data/contract.ts';
import { rowAt } from '../data/rows.ts';
import type { Run } from '../data/run.ts';
import { rotate } from '../math/pose.ts';
import type { Palette } from '../state/palette.ts';
import type { Frame, Layer } from './layer.ts';

const MOST_POINTS = 4000;
const FEW_POINTS = 1200;

interface Trail {
  whole: Line2;
  past: Line2;
  times: number[];
}

export class Trails implements Layer {
  readonly object = new Group();
  private readonly trails = new Map<number, Trail>();
  private readonly wholeLine = new LineMaterial({ linewidth: 1.2, transparent: true, opacity: 0.35 });
  private readonly pastLine = new LineMaterial({ linewidth: 2.2 });

  constructor(private readonly run: Run) {
    for (const material of [this.wholeLine, this.pastLine]) material.depthWrite = false;
  }

  /** Draws the paths of exactly these figures. */
  set(figures: number[]): void {
    for (const [figure, trail] of this.trails) {
      if (figures.includes(figure)) continue;
      this.object.remove(trail.whole, trail.past);
      trail.whole.geometry.dispose();
      trail.past.geometry.dispose();
      this.trails.delete(figure);
    }
    for (const figure of figures) if (!this.trails.has(figure)) this.add(figure);
  }

  private add(figure: number): void {
    const rows = this.run.filmTimes.length;
    if (rows < 2) return;
    const centre = this.run.header.scene.figures[figure].centre;
    const points: number[] = [];
    const times: number[] = [];
    const note = (instant: number): void => {
      const { p, q } = this.run.poseAt(figure, instant);
      const arm = rotate(q, centre);
      const at: Point = [p[0] + arm[0], p[1] + arm[1], p[2] + arm[2]];
      if (!at.every(Number.isFinite)) return;
      points.push(...at);
      times.push(instant);
    };
    // Long films are thinned, short ones interpolated.
    const t = this.run.filmTimes;
    const stride = Math.max(1, Math.ceil(rows / MOST_POINTS));
    const parts = Math.max(1, Math.min(16, Math.floor(FEW_POINTS / rows)));
    for (let row = 0; row < rows; row += stride) {
      const next = Math.min(rows - 1, row + 1);
      for (let k = 0; k < (next > row ? parts : 1); k += 1) note(t[row] + ((t[next] - t[row]) * k) / parts);
    }
    if (times.length < 2) return;
    const line = (material: LineMaterial, order: number): Line2 => {
      const made = new Line2(new LineGeometry().setPositions(points), material);
      made.frustumCulled = false;
      made.renderOrder = order;
      made.raycast = () => undefined;
      return made;
    };
    const trail = { whole: line(this.wholeLine, 1), past: line(this.pastLine, 2), times };
    this.object.add(trail.whole, trail.past);
    this.trails.set(figure, trail);
  }

  update(frame: Frame): void {
    this.object.visible = frame.state.shown.trails && frame.posed === 'run';
    for (const { past, times } of this.trails.values()) {
      const count = frame.instant < times[0] ? 0 : rowAt(times, frame.instant);
      past.geometry.instanceCount = count;
      past.visible = count > 0;
    }
  }

  resize(size: Vector2): void {
    this.wholeLine.resolution.copy(size);
    this.pastLine.resolution.copy(size);
  }

  recolour(palette: Palette): void {
    this.wholeLine.color = new Color(palette.accent);
    this.pastLine.color = new Color(palette.accent);
  }
}
