/** Several runs on one time axis: merged times, with missing values where only other runs have a row. */

type Values = ArrayLike<number | null | undefined>;

/** Rows of one run: its times and some of its columns. */
export interface Rows {
  times: Float64Array;
  columns: ArrayLike<number | null>[];
}

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((t, k) => t === b[k]);
}

/** Times of all runs, and the values of their columns (undefined: no row, the line continues). */
export function together(runs: Rows[]): { t: Float64Array; columns: Values[][] } {
  const first = runs[0].times;
  if (runs.every(({ times }) => sameTimes(first, times)))
    return { t: first, columns: runs.map(({ columns }) => columns) };
  const t: number[] = [];
  const columns: (number | null | undefined)[][][] = runs.map((run) => run.columns.map(() => []));
  const next = runs.map(() => 0);
  for (;;) {
    const now = Math.min(...runs.map(({ times }, r) => (next[r] < times.length ? times[next[r]] : Infinity)));
    if (now === Infinity) return { t: Float64Array.from(t), columns };
    t.push(now);
    runs.forEach((run, r) => {
      const here = next[r] < run.times.length && run.times[next[r]] <= now;
      run.columns.forEach((values, k) => columns[r][k].push(here ? values[next[r]] : undefined));
      if (here) next[r] += 1;
    });
  }
}
