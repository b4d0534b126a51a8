/** The pose of a mode: the rest pose displaced by the real part of the shape at a phase. */

import type { Mode, Point, Turn } from '../data/contract.ts';
import { multiply, turnAbout, type Poses } from './pose.ts';

/** Factor that scales the largest displacement of a mode to a given length (pure rotations to a quarter of a radian). */
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

/** Displaces `poses`, which contain the rest pose, by the mode at a phase (radians). */
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
