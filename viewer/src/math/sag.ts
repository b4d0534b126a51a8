/** A slack rope between two points: a hanging parabola with the length of the rope. */

import type { Point } from '../data/contract.ts';

/** Depth of the sag whose arc over a chord has a given length, by the arc length of a parabola. */
export function sagDepth(chord: number, length: number): number {
  if (!(length > chord)) return 0;
  if (chord < 1e-9 * length) return length / 2;
  const arc = (depth: number): number => {
    const u = (4 * depth) / chord;
    return (chord / 2) * (Math.sqrt(1 + u * u) + Math.asinh(u) / u);
  };
  let low = 0;
  let high = length;
  for (let k = 0; k < 40; k += 1) {
    const middle = (low + high) / 2;
    if (middle > 0 && arc(middle) > length) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** `count + 1` points from a to b; `slack` is the length beyond the chord. */
export function hanging(a: Point, b: Point, slack: number, down: Point, count: number): Point[] {
  const chord = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const depth = sagDepth(chord, chord + Math.max(0, slack));
  return Array.from({ length: count + 1 }, (_, k) => {
    const s = k / count;
    const fall = 4 * s * (1 - s) * depth;
    return [0, 1, 2].map((axis) => a[axis] + (b[axis] - a[axis]) * s + down[axis] * fall) as Point;
  });
}
