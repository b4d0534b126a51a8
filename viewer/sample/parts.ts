/** Bodies that planar samples share. */

import type { Figure, Visual } from '../src/data/contract.ts';
import { NONE } from './build.ts';

export const rod = (length: number, radius: number): Visual => ({
  form: { type: 'rod', from: [-length / 2, 0, 0], to: [length / 2, 0, 0], radius },
  p: [0, 0, 0],
  q: NONE,
  origin: 'default',
});

export const body = (name: string, visuals: Visual[]): Figure => ({
  name,
  role: 'body',
  visuals,
  markers: [{ name: `${name}.end`, p: [0.05, 0, 0], q: NONE }],
  centre: [0, 0, 0],
});
