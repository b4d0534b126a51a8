/** Positions of elements on the screen, and the elements at a point of it. */

import type { Point } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import type { Picked } from '../state/store.ts';
import type { Arrows } from './arrows.ts';
import type { Eye } from './camera.ts';
import type { Frame } from './layer.ts';
import { toScreen, under, type Pickable } from './picking.ts';

/** Spacing of the points that are tried for a click, in pixels, and number of rings. */
const STEP = 6;
const RINGS = 24;
const SPOKES = 16;

export class Places {
  constructor(
    private readonly run: Run,
    private readonly what: Pickable,
    private readonly arrows: Arrows,
    private readonly eye: Eye,
    private readonly canvas: HTMLCanvasElement,
  ) {}

  /** Elements at a point of the canvas, nearest first. */
  under(x: number, y: number): Picked[] {
    const { clientWidth, clientHeight } = this.canvas;
    return under(x, y, this.what, this.eye.camera, clientWidth, clientHeight, this.eye.stance === 'flat');
  }

  /** World position of the label of an element. */
  anchor(thing: Picked, frame: Frame): Point | null {
    if (thing.kind === 'joint') {
      const k = this.what.joints.names().indexOf(thing.name);
      return k < 0 ? null : this.what.joints.places[k];
    }
    if (thing.kind === 'link') {
      const path = this.what.links.segments().find(({ name }) => name === thing.name)?.path;
      return path
        ? (path[0].map((_, k) => path.reduce((sum, point) => sum + point[k], 0) / path.length) as Point)
        : null;
    }
    if (thing.kind === 'contact') return this.arrows.placeNamed(thing.name, frame);
    const figure = thing.kind === 'beam' ? this.what.beams.middleNode(thing.name) : this.run.figure(thing.name);
    if (figure === null || figure === undefined) return null;
    return frame.poses.place(figure, this.what.scene.figures[figure].centre);
  }

  /** Position of the label of an element on the canvas; null outside the view. */
  label(thing: Picked, frame: Frame): { x: number; y: number } | null {
    const at = this.anchor(thing, frame);
    if (!at) return null;
    const { clientWidth, clientHeight } = this.canvas;
    const seen = toScreen(at, this.eye.camera, clientWidth, clientHeight);
    const inside = seen.depth < 1 && seen.x > -50 && seen.x < clientWidth && seen.y > 0 && seen.y < clientHeight;
    return inside ? { x: seen.x, y: seen.y } : null;
  }

  /** A point of the window at which a click selects this element, found by a search around its centre. */
  project(thing: Picked, frame: Frame): { x: number; y: number } | null {
    const at = this.anchor(thing, frame);
    if (!at) return null;
    const { clientWidth, clientHeight } = this.canvas;
    const box = this.canvas.getBoundingClientRect();
    const middle = toScreen(at, this.eye.camera, clientWidth, clientHeight);
    const takes = (x: number, y: number): boolean => this.under(x, y)[0]?.name === thing.name;
    // Prefer a point with some space around it: a click may be off by a pixel.
    for (const room of [3, 1]) {
      for (let ring = 0; ring < RINGS; ring += 1) {
        for (let k = 0; k < (ring === 0 ? 1 : SPOKES); k += 1) {
          const x = Math.round(middle.x + ring * STEP * Math.cos((2 * k * Math.PI) / SPOKES));
          const y = Math.round(middle.y + ring * STEP * Math.sin((2 * k * Math.PI) / SPOKES));
          if (x < 0 || y < 0 || x >= clientWidth || y >= clientHeight || !takes(x, y)) continue;
          const around = takes(x - room, y) && takes(x + room, y) && takes(x, y - room) && takes(x, y + room);
          if (around) return { x: box.left + x, y: box.top + y };
        }
      }
    }
    return { x: box.left + middle.x, y: box.top + middle.y };
  }
}
