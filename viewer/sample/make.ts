/** Sample runs, computed and packed as the packer does it: for development and for tests of the page. */

import { fourBar, fourBarSlower } from './fourbar.ts';
import { ball, hostile } from './planar.ts';
import { beam, chain, crowd } from './spatial.ts';

export interface Sample {
  run: Uint8Array;
  ghost?: Uint8Array;
}

export const samples: Record<string, () => Sample> = {
  'four-bar': () => ({ run: fourBar() }),
  'four-bar-ghost': () => ({ run: fourBar(), ghost: fourBarSlower() }),
  chain: () => ({ run: chain() }),
  ball: () => ({ run: ball() }),
  beam: () => ({ run: beam() }),
  hostile: () => ({ run: hostile() }),
  'hundred-bodies': () => ({ run: crowd(100, 10001) }),
  'thousand-bodies': () => ({ run: crowd(1000, 201) }),
};
