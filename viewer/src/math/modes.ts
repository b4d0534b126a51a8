/** A mode as a pose: the resting pose moved by the real part of the shape as its phase turns. */

import type { Mode, Point, Turn } from '../data/contract.ts';
import { multiply, turnAbout, type Poses } from './pose.ts';

/** Factor that makes the largest motion of a mode a given length (or a quarter of a radian, where it only turns). */
export function modeScale(mode: Mode, length: number): number {
  let far = 0;
  let turn = 0;
  for (const shape of mode.shapes) {
    far = Math.max(far, Math.hypot(...shape.translation.flat()));
    turn = Math.max(turn, Math.hypot(...shape.rotation.flat()));
  }
  const byLength = far > 0 ? length / far : Infinity;
  const byTurn = turn > 0 ? 0.6 / turn : Infinity;
  const scale = Math.min(byLength, byTurn);
  return Number.isFinite(scale) ? scale : 0;
}

/** Moves `poses`, which hold the resting pose, by the mode at a phase (radians). */
export function poseMode(mode: Mode, scale: number, phase: number, poses: Poses): void {
  const c = Math.cos(phase) * scale;
  const s = Math.sin(phase) * scale;
  const real = (pair: [number, number]): number => pair[0] * c - pair[1] * s;
  for (const shape of mode.shapes) {
    if (shape.figure < 0 || shape.figure >= poses.count) continue;
    const base = shape.figure * 7;
    shape.translation.forEach((pair, k) => {
      poses.data[base + k] += real(pair);
    });
    const turn = turnAbout(shape.rotation.map(real) as Point);
    const next: Turn = multiply(turn, poses.turn(shape.figure));
    for (let k = 0; k < 4; k += 1) poses.data[base + 3 + k] = next[k];
  }
}
