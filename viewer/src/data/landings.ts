/**
 * Rows added where an event falls between two rows of a coarse film.
 *
 * A ball recorded every tenth of a second hits the floor between two rows; interpolated from row to row it would turn
 * around in the air. The motion before the event is extrapolated from the rows before it, the motion after it from the
 * rows after it, each by a parabola; both meet at the event. The rows of the film themselves are not changed.
 */

import { between } from './rows.ts';

/** A row to be added after row `after`: weights of the rows on either side. */
export interface Landing {
  after: number;
  t: number;
  sources: { row: number; weight: number }[];
}

const EDGE = 1e-6;

/** Weights of a parabola through three instants, at another. */
function parabola(t: ArrayLike<number>, rows: [number, number, number], at: number): { row: number; weight: number }[] {
  return rows.map((row, k) => {
    const others = rows.filter((_, j) => j !== k);
    return { row, weight: others.reduce((product, other) => (product * (at - t[other])) / (t[row] - t[other]), 1) };
  });
}

/** Rows to be added; intervals with several events, or with events too close to a row, are not changed. */
export function landings(t: Float64Array, events: { t: number }[]): Landing[] {
  const inside = new Map<number, number[]>();
  for (const event of events) {
    const { row, part } = between(t, event.t);
    if (!(part > EDGE && part < 1 - EDGE)) continue;
    const known = inside.get(row) ?? [];
    if (!known.some((other) => Math.abs(other - event.t) < 1e-9 * Math.max(1, Math.abs(event.t)))) known.push(event.t);
    inside.set(row, known);
  }
  const calm = (row: number): boolean => row >= 0 && row + 1 < t.length && t[row + 1] > t[row] && !inside.has(row);
  const found: Landing[] = [];
  for (const [row, instants] of [...inside].sort((a, b) => a[0] - b[0])) {
    if (instants.length > 1) continue;
    const at = instants[0];
    const left = calm(row - 1) && calm(row - 2) ? parabola(t, [row - 2, row - 1, row], at) : [];
    const right = calm(row + 1) && calm(row + 2) ? parabola(t, [row + 1, row + 2, row + 3], at) : [];
    const share = left.length > 0 && right.length > 0 ? 0.5 : 1;
    const sources = [...left, ...right].map((one) => ({ row: one.row, weight: one.weight * share }));
    if (sources.length > 0) found.push({ after: row, t: at, sources });
  }
  return found;
}

/** A series with the added rows; `sign` aligns quaternions with the row before the event. */
export function withLandings(
  series: ArrayLike<number>,
  added: Landing[],
  sign: (row: number, after: number) => number,
): Float64Array {
  const out = new Float64Array(series.length + added.length);
  let next = 0;
  let put = 0;
  for (let row = 0; row < series.length; row += 1) {
    out[put] = series[row];
    put += 1;
    if (next < added.length && added[next].after === row) {
      const { after, sources } = added[next];
      out[put] = sources.reduce((sum, one) => sum + one.weight * sign(one.row, after) * series[one.row], 0);
      put += 1;
      next += 1;
    }
  }
  return out;
}
