/** Percentile of the finite values (0 without any). */
export function percentile(values: ArrayLike<number>, part: number): number {
  const sorted = Float64Array.from(Array.from(values).filter((value) => Number.isFinite(value))).sort();
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
