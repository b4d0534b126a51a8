/** Two runs on one time axis: merged times, with missing values where only the other run has a row. */

import type { Run } from '../data/run.ts';

type Values = (number | null | undefined)[];

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((t, k) => t === b[k]);
}

/** Times of both runs, and the values of their columns (undefined: no row, the line continues). */
export function together(
  run: Run,
  columns: ArrayLike<number | null>[],
  ghost: Run,
  ghostColumns: ArrayLike<number | null>[],
): { t: Float64Array; own: ArrayLike<number | null | undefined>[]; other: ArrayLike<number | null | undefined>[] } {
  const a = run.times;
  const b = ghost.times;
  if (sameTimes(a, b)) return { t: a, own: columns, other: ghostColumns };
  const t: number[] = [];
  const own: Values[] = columns.map(() => []);
  const other: Values[] = ghostColumns.map(() => []);
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const takeA = i < a.length && (j >= b.length || a[i] <= b[j]);
    const takeB = j < b.length && (i >= a.length || b[j] <= a[i]);
    t.push(takeA ? a[i] : b[j]);
    own.forEach((list, k) => list.push(takeA ? columns[k][i] : undefined));
    other.forEach((list, k) => list.push(takeB ? ghostColumns[k][j] : undefined));
    if (takeA) i += 1;
    if (takeB) j += 1;
  }
  return { t: Float64Array.from(t), own, other };
}
