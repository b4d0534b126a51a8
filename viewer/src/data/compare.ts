/** Comparison of two runs: their titles, and the columns they have in common. */

import type { Run } from './run.ts';

type Named = Pick<Run, 'header'>;

/** Fraction of common columns below which a comparison is questionable. */
const ENOUGH = 1 / 3;

export function titleOf(run: Named): string {
  return run.header.summary.title || run.header.scene.title || 'run';
}

/** Titles of the compared runs that distinguish them from the run, even if all are of the same model. */
export function ghostTitles(run: Named, ghosts: Named[]): string[] {
  const own = titleOf(run);
  const number = (k: number): string => (ghosts.length > 1 ? ` ${k + 1}` : '');
  const again = (title: string, k: number): boolean => ghosts.some((other, j) => j !== k && titleOf(other) === title);
  return ghosts.map((ghost, k) => {
    const title = titleOf(ghost);
    if (title === own) return `compared run${number(k)}`;
    return again(title, k) ? `${title} (compared run${number(k)})` : title;
  });
}

/** A notice if the runs share less than a third of the columns; otherwise null. */
export function strangers(run: Named, ghost: Named): string | null {
  const names = run.header.table.columns.map(({ name }) => name);
  const known = new Set(ghost.header.table.columns.map(({ name }) => name));
  const shared = names.filter((name) => known.has(name)).length;
  if (names.length === 0 || shared >= ENOUGH * names.length) return null;
  const own = titleOf(run);
  const [other] = ghostTitles(run, [ghost]);
  return `Only ${shared} of the ${names.length} columns of “${own}” also exist in “${other}”. The runs may be of different models; plots show the second run only for columns with the same name.`;
}
