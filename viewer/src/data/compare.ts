/** Two runs side by side: how they are called, and how much they have in common. */

import type { Run } from './run.ts';

type Named = Pick<Run, 'header'>;

/** Part of the columns that both must have for a comparison to say something. */
const ENOUGH = 1 / 3;

export function titleOf(run: Named): string {
  return run.header.summary.title || run.header.scene.title || 'run';
}

/** Titles that tell the two apart, also where both runs are of one model. */
export function titlesOf(run: Named, ghost: Named): [string, string] {
  const pair: [string, string] = [titleOf(run), titleOf(ghost)];
  return pair[0] === pair[1] ? [pair[0], `${pair[1]} (compared run)`] : pair;
}

/** A sentence where the runs share less than a third of the columns; null where they are akin. */
export function strangers(run: Named, ghost: Named): string | null {
  const names = run.header.table.columns.map(({ name }) => name);
  const known = new Set(ghost.header.table.columns.map(({ name }) => name));
  const shared = names.filter((name) => known.has(name)).length;
  if (names.length === 0 || shared >= ENOUGH * names.length) return null;
  const [own, other] = titlesOf(run, ghost);
  return `Only ${shared} of the ${names.length} columns of “${own}” are in “${other}” as well: these may be different models, and plots show the second run where names agree.`;
}
