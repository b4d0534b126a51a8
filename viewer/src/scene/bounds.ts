/** Size and extent of motion of a model; determines the first view and the size of all symbols. */

import { Box3, Sphere, Vector3 } from 'three';
import type { Point } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { Poses } from '../math/pose.ts';
import { reachOf } from './forms.ts';

export interface Bounds {
  /** Bounds over the whole film. */
  box: Box3;
  /** Points with radii at many instants, to which the camera is fitted. */
  cloud: { at: Vector3; reach: number }[];
  centre: Vector3;
  radius: number;
  /** A typical length of the model, to which symbols are scaled. */
  size: number;
  /** Body to follow from the start, for a model that travels much further than its size. */
  traveller: string | null;
}

type Cloud = Bounds['cloud'];

/** Travel of the model, relative to its size, above which the first view follows it. */
const FAR = 5;

/** Radius of a body about its origin; zero without a shape. */
export function figureReach(run: Run, figure: number): number {
  const visuals = run.header.scene.figures[figure]?.visuals ?? [];
  return Math.max(
    0,
    ...visuals.map(({ form, p }) => {
      const own =
        form.type === 'rod'
          ? Math.max(Math.hypot(...form.from), Math.hypot(...form.to))
          : Math.min(reachOf(form), 1e6);
      return Math.hypot(...p) + own;
    }),
  );
}

/** Points of one pose, without the shapes of the ground, which may be a long road. */
export function cloudOf(run: Run, poses: Poses): Cloud {
  const cloud: Cloud = [];
  addPoses(run, poses, new Box3(), cloud, 'without ground');
  return cloud;
}

/**
 * The body to follow: only if all bodies travel and there is more than one; a single ball would seem to stand still.
 */
function travellerOf(run: Run, radius: number): string | null {
  const bodies = run.header.scene.figures.flatMap(({ role }, index) => (role === 'body' ? [index] : []));
  if (bodies.length < 2 || !(radius > 0)) return null;
  const shift = (figure: number): number => {
    const from = run.poseAt(figure, run.begin).p;
    const to = run.poseAt(figure, run.end).p;
    return Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  };
  if (!bodies.every((figure) => shift(figure) > FAR * radius)) return null;
  const largest = bodies.reduce((best, one) => (figureReach(run, one) > figureReach(run, best) ? one : best));
  return run.header.scene.figures[largest].name;
}

function addPoses(run: Run, poses: Poses, box: Box3, cloud: Cloud, part: 'all' | 'without ground' = 'all'): void {
  const note = (at: Point, reach: number): void => {
    cloud.push({ at: new Vector3(...at), reach });
  };
  const { figures, joints, links } = run.header.scene;
  const at: Point = [0, 0, 0];
  const point = new Vector3();
  figures.forEach((figure, index) => {
    if (figure.role !== 'ground') {
      poses.position(index, at);
      if (at.every(Number.isFinite) && figure.visuals.length === 0) {
        box.expandByPoint(point.set(...at));
        note(at, 0);
      }
    }
    if (figure.role === 'ground' && part === 'without ground') return;
    for (const visual of figure.visuals) {
      const reach = Math.min(reachOf(visual.form), 1e6);
      if (reach === 0) continue;
      poses.place(index, visual.p, at);
      if (!at.every(Number.isFinite)) continue;
      const rod = visual.form.type === 'rod' ? visual.form : null;
      if (rod) {
        for (const end of [rod.from, rod.to]) {
          box.expandByPoint(
            point.set(...poses.place(index, [end[0] + visual.p[0], end[1] + visual.p[1], end[2] + visual.p[2]], at)),
          );
          note(at, rod.radius);
        }
        continue;
      }
      note(at, 0.85 * reach);
      box.expandByPoint(point.set(at[0] - reach, at[1] - reach, at[2] - reach));
      box.expandByPoint(point.set(at[0] + reach, at[1] + reach, at[2] + reach));
    }
  });
  for (const thing of [...joints, ...links]) {
    for (const spot of thing.spots) {
      poses.place(spot.figure, spot.p, at);
      if (!at.every(Number.isFinite)) continue;
      box.expandByPoint(point.set(...at));
      note(at, 0);
    }
  }
}

function startPoses(run: Run): Poses {
  const poses = new Poses(run.figureCount);
  run.posesAt(run.begin, poses.data);
  return poses;
}

export function boundsOf(run: Run): Bounds {
  const poses = startPoses(run);
  const start = new Box3();
  const first: Cloud = [];
  const later: Cloud = [];
  addPoses(run, poses, start, first);
  const whole = start.clone();
  const looks = Math.min(80, run.filmTimes.length, Math.max(4, Math.floor(20_000 / run.figureCount)));
  for (let k = 0; k < looks; k += 1) {
    run.posesAt(run.filmTimes[Math.floor((k * (run.filmTimes.length - 1)) / Math.max(1, looks - 1))], poses.data);
    addPoses(run, poses, whole, later);
  }
  if (start.isEmpty()) start.expandByPoint(new Vector3());
  const ballOf = (box: Box3): Sphere => {
    const ball = box.getBoundingSphere(new Sphere());
    if (!(ball.radius > 1e-9)) ball.radius = 0.5;
    return ball;
  };
  const opening = ballOf(start);
  const self = new Box3().setFromPoints(cloudOf(run, startPoses(run)).map(({ at }) => at));
  const all = ballOf(whole.isEmpty() ? start : whole);
  // Bodies that fly away are ignored; the first view stays with the model.
  const far = all.radius > 8 * opening.radius && opening.radius > 1e-6;
  const box = far ? start : whole;
  const ball = far ? opening : all;
  const cloud = far ? first : [...first, ...later];
  if (cloud.length === 0) cloud.push({ at: new Vector3(), reach: 0.5 });
  return {
    box,
    cloud,
    centre: ball.center.clone(),
    radius: ball.radius,
    size: Math.min(all.radius, 2.5 * opening.radius),
    traveller: self.isEmpty() ? null : travellerOf(run, self.getBoundingSphere(new Sphere()).radius),
  };
}
