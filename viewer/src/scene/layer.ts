/** Common interface of everything that is drawn. */

import type { Object3D } from 'three';
import type { Run } from '../data/run.ts';
import type { Poses } from '../math/pose.ts';
import type { Palette } from '../state/palette.ts';
import type { State } from '../state/store.ts';

export interface Frame {
  run: Run;
  instant: number;
  poses: Poses;
  state: Readonly<State>;
  /** The scene shows a mode, not the run, so columns of the table do not apply. */
  posed: 'run' | 'mode';
}

export interface Layer {
  readonly object: Object3D;
  update(frame: Frame): void;
  recolour(palette: Palette): void;
}
