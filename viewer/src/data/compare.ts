/** Comparison of two runs: their titles, and the columns they have in common. */

import type { Run } from './run.ts';

type Named = Pick<Run, 'header'>;

/** Fraction of common columns below which a comparison is questionable. */
const ENOUGH = 1 / 3;

export function titleOf(run: Named): string {
  return run.header.summary.title || run.header.scene.title || 'run';
}

/** Titles that distinguish the two runs, even if both are of the same model. */
export function titlesOf(run: Named, ghost: Named): [string, string] {
  const pair: [string, string] = [titleOf(run), titleOf(ghost)];
  return pair[0] === pair[1] ? [pair[0], `${pair[1]} (compared run)`] : pair;
}

/** A notice if the runs share less than a third of the columns; otherwise null. */
export function strangers(run: Named, ghost: Named): string | null {
  const names = run.header.table.columns.map(({ name }) => name);
  const known = new Set(ghost.header.table.columns.map(({ name }) => name));
  const shared = names.filter((name) => known.has(name)).length;
  if (names.length === 0 || shared >= ENOUGH * names.length) return null;
  const [own, other] = titlesOf(run, ghost);
  return `Only ${shared} of the ${names.length} columns of “${own}” also exist in “${other}”. The runs may be of different models; plots show the second run only for columns with the same name.`;
}
