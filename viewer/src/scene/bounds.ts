/** How large a model is and where it moves: the first look of the camera and the size of all glyphs follow. */

import { Box3, Sphere, Vector3 } from 'three';
import type { Point } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { Poses } from '../math/pose.ts';
import { reachOf } from './forms.ts';

export interface Bounds {
  /** What the camera fits. */
  box: Box3;
  centre: Vector3;
  radius: number;
  /** A length typical of the model: glyphs are parts of it. */
  size: number;
}

function addPoses(run: Run, poses: Poses, box: Box3): void {
  const { figures, joints, links } = run.header.scene;
  const at: Point = [0, 0, 0];
  const point = new Vector3();
  figures.forEach((figure, index) => {
    if (figure.role !== 'ground') {
      poses.position(index, at);
      if (at.every(Number.isFinite) && figure.visuals.length === 0) box.expandByPoint(point.set(...at));
    }
    for (const visual of figure.visuals) {
      const reach = Math.min(reachOf(visual.form), 1e6);
      if (reach === 0) continue;
      poses.place(index, visual.p, at);
      if (!at.every(Number.isFinite)) continue;
      const rod = visual.form.type === 'rod' ? visual.form : null;
      if (rod) {
        for (const end of [rod.from, rod.to]) box.expandByPoint(point.set(...poses.place(index, [end[0] + visual.p[0], end[1] + visual.p[1], end[2] + visual.p[2]], at)));
        continue;
      }
      box.expandByPoint(point.set(at[0] - reach, at[1] - reach, at[2] - reach));
      box.expandByPoint(point.set(at[0] + reach, at[1] + reach, at[2] + reach));
    }
  });
  for (const thing of [...joints, ...links]) {
    for (const spot of thing.spots) {
      poses.place(spot.figure, spot.p, at);
      if (at.every(Number.isFinite)) box.expandByPoint(point.set(...at));
    }
  }
}

export function boundsOf(run: Run): Bounds {
  const poses = new Poses(run.figureCount);
  run.posesAt(run.begin, poses.data);
  const start = new Box3();
  addPoses(run, poses, start);
  const whole = start.clone();
  const looks = Math.min(80, run.filmTimes.length);
  for (let k = 0; k < looks; k += 1) {
    run.posesAt(run.filmTimes[Math.floor((k * (run.filmTimes.length - 1)) / Math.max(1, looks - 1))], poses.data);
    addPoses(run, poses, whole);
  }
  if (start.isEmpty()) start.expandByPoint(new Vector3());
  const ballOf = (box: Box3): Sphere => {
    const ball = box.getBoundingSphere(new Sphere());
    if (!(ball.radius > 1e-9)) ball.radius = 0.5;
    return ball;
  };
  const first = ballOf(start);
  const all = ballOf(whole.isEmpty() ? start : whole);
  // What flies away is not chased: the first look stays with the model.
  const far = all.radius > 8 * first.radius && first.radius > 1e-6;
  const box = far ? start : whole;
  const ball = far ? first : all;
  return { box, centre: ball.center.clone(), radius: ball.radius, size: Math.min(all.radius, 2.5 * first.radius) };
}
