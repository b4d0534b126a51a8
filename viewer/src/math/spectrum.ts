/** Amplitude spectrum: even resampling, Hann window, radix-2 FFT. */

import { between } from '../data/rows.ts';

/** In-place transform; the length is a power of two. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  if (n !== im.length || (n & (n - 1)) !== 0) throw new Error('the length of a transform is a power of two');
  for (let i = 1, j = 0; i < n; i += 1) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    const step = (-2 * Math.PI) / size;
    for (let k = 0; k < half; k += 1) {
      const c = Math.cos(step * k);
      const s = Math.sin(step * k);
      for (let start = k; start < n; start += size) {
        const other = start + half;
        const x = re[other] * c - im[other] * s;
        const y = re[other] * s + im[other] * c;
        re[other] = re[start] - x;
        im[other] = im[start] - y;
        re[start] += x;
        im[start] += y;
      }
    }
  }
}

/** `count` values at even instants from `from` to `to`, linear between the rows. */
export function resample(
  t: ArrayLike<number>,
  values: ArrayLike<number>,
  from: number,
  to: number,
  count: number,
): Float64Array {
  const out = new Float64Array(count);
  for (let k = 0; k < count; k += 1) {
    const { row, next, part } = between(t, from + ((to - from) * k) / (count - 1));
    const a = values[row];
    const b = values[next];
    const value = part === 0 ? a : a + (b - a) * part;
    out[k] = Number.isFinite(value) ? value : 0;
  }
  return out;
}

export interface Spectrum {
  frequency: Float64Array;
  amplitude: Float64Array;
}

/**
 * One-sided amplitude of a column between two instants: a sine of amplitude A in the middle of a line shows A.
 * The mean is taken off first, so that a constant load does not hide what swings.
 */
export function spectrum(t: ArrayLike<number>, values: ArrayLike<number>, from: number, to: number): Spectrum {
  const span = to - from;
  let rows = 0;
  for (let k = 0; k < t.length; k += 1) if (t[k] >= from && t[k] <= to) rows += 1;
  if (!(span > 0) || rows < 8) return { frequency: new Float64Array(0), amplitude: new Float64Array(0) };
  const count = 2 ** Math.min(16, Math.max(6, Math.ceil(Math.log2(rows))));
  const re = resample(t, values, from, to, count);
  const im = new Float64Array(count);
  let mean = 0;
  for (const value of re) mean += value / count;
  let weight = 0;
  for (let k = 0; k < count; k += 1) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / (count - 1));
    re[k] = (re[k] - mean) * window;
    weight += window;
  }
  fft(re, im);
  const half = count / 2;
  const rate = (count - 1) / span;
  const frequency = new Float64Array(half);
  const amplitude = new Float64Array(half);
  for (let k = 0; k < half; k += 1) {
    frequency[k] = (k * rate) / count;
    amplitude[k] = (Math.hypot(re[k], im[k]) * (k === 0 ? 1 : 2)) / weight;
  }
  return { frequency, amplitude };
}
