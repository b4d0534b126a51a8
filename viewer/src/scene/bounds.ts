/** How large a model is and where it moves: the first look of the camera and the size of all glyphs follow. */

import { Box3, Sphere, Vector3 } from 'three';
import type { Point } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { Poses } from '../math/pose.ts';
import { reachOf } from './forms.ts';

export interface Bounds {
  /** Where it is over the whole film. */
  box: Box3;
  /** Points and their reach, of many instants: what the camera fits. */
  cloud: { at: Vector3; reach: number }[];
  centre: Vector3;
  radius: number;
  /** A length typical of the model: glyphs are parts of it. */
  size: number;
}

function addPoses(run: Run, poses: Poses, box: Box3, cloud: Bounds['cloud']): void {
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

export function boundsOf(run: Run): Bounds {
  const poses = new Poses(run.figureCount);
  run.posesAt(run.begin, poses.data);
  const start = new Box3();
  const first: Bounds['cloud'] = [];
  const later: Bounds['cloud'] = [];
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
  const all = ballOf(whole.isEmpty() ? start : whole);
  // What flies away is not chased: the first look stays with the model.
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
  };
}
