/** Finding rows for an instant in an ascending array (equal instants are allowed: both sides of an event). */

/** Largest k with t[k] <= instant; 0 before the first. */
export function rowAt(t: ArrayLike<number>, instant: number): number {
  let low = 0;
  let high = t.length - 1;
  if (high < 0 || instant < t[0]) return 0;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= instant) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Between {
  row: number;
  next: number;
  part: number;
}

/** The two rows around an instant, and its relative position between them. */
export function between(t: ArrayLike<number>, instant: number): Between {
  const row = rowAt(t, instant);
  const next = Math.min(row + 1, t.length - 1);
  const span = t[next] - t[row];
  const part = span > 0 ? Math.min(1, Math.max(0, (instant - t[row]) / span)) : 0;
  return { row, next, part };
}

/** Interpolated value; if one side is NaN, the value of the other side. */
export function valueAt(t: ArrayLike<number>, values: ArrayLike<number>, instant: number): number {
  if (t.length === 0) return NaN;
  const { row, next, part } = between(t, instant);
  if (part === 0) return values[row];
  return values[row] + (values[next] - values[row]) * part;
}

/** The row nearest to an instant. */
export function nearestRow(t: ArrayLike<number>, instant: number): number {
  const { row, next, part } = between(t, instant);
  return part > 0.5 ? next : row;
}
