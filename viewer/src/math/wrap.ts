/** A rope over pulleys: straight between them, wrapped around each on the side on which it presses. */

import type { Point } from '../data/contract.ts';

/** Number of segments of the arc around a pulley. */
export const ARC = 16;

const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scaled = (a: Point, s: number): Point => [a[0] * s, a[1] * s, a[2] * s];

/** The path with each inner point of a radius above zero replaced by the arc between its two tangents. */
export function wrapped(path: Point[], radii: number[]): Point[] {
  return path.flatMap((centre, k) =>
    k > 0 && k + 1 < path.length && radii[k] > 0 ? arc(path[k - 1], centre, path[k + 1], radii[k]) : [centre],
  );
}

function arc(before: Point, centre: Point, after: Point, radius: number): Point[] {
  const [a, b] = [minus(before, centre), minus(after, centre)];
  const [far, long] = [Math.hypot(...a), Math.hypot(...b)];
  if (!(far > radius && long > radius)) return [centre];
  // The rope presses away from the bisector of its two strands.
  const bisector = [0, 1, 2].map((i) => a[i] / far + b[i] / long) as Point;
  const pressed = Math.hypot(...bisector);
  if (!(pressed > 1e-9)) return [centre];
  const u = scaled(bisector, -1 / pressed);
  const across = minus(a, scaled(u, dot(a, u)));
  const width = Math.hypot(...across);
  if (!(width > 1e-12 * far)) return [centre];
  const w = scaled(across, 1 / width);
  // Angles of the tangent points, measured from u.
  const touch = (end: Point, distance: number): number => {
    const angle = Math.atan2(dot(end, w), dot(end, u));
    return angle - Math.sign(angle) * Math.acos(radius / distance);
  };
  const [from, to] = [touch(a, far), touch(b, long)];
  return Array.from({ length: ARC + 1 }, (_, k) => {
    const angle = from + ((to - from) * k) / ARC;
    const [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return [0, 1, 2].map((i) => centre[i] + c * u[i] + s * w[i]) as Point;
  });
}
