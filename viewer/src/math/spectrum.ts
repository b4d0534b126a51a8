/** Amplitude spectrum: uniform samples, Hann window, radix-2 FFT, up to the Nyquist frequency of the rows. */

import { between } from '../data/rows.ts';

/** In-place transform; the length is a power of two. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  if (n !== im.length || (n & (n - 1)) !== 0) throw new Error('the length of the transform must be a power of two');
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

/** `count` uniformly spaced values from `from` to `to`, by linear interpolation. */
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
  /** Frequency resolution [Hz]. */
  resolution: number;
  /** Nyquist frequency of the rows [Hz]. */
  limit: number;
  rows: 'even' | 'uneven';
}

const NOTHING: Spectrum = {
  frequency: new Float64Array(0),
  amplitude: new Float64Array(0),
  resolution: 0,
  limit: 0,
  rows: 'even',
};
const LEAST_ROWS = 8;
const MOST_ROWS = 2 ** 16;
/** Zero padding makes the lines so dense that a peak between two of them loses at most one percent. */
const PADDING = 4;

/** Typical time between rows, so that rows added at events do not suggest a finer sampling. */
function rowGap(
  t: ArrayLike<number>,
  from: number,
  to: number,
): { gap: number; count: number; rows: Spectrum['rows'] } {
  const gaps: number[] = [];
  let before = NaN;
  for (let k = 0; k < t.length; k += 1) {
    if (t[k] < from || t[k] > to) continue;
    if (t[k] > before) gaps.push(t[k] - before);
    before = t[k];
  }
  if (gaps.length === 0) return { gap: Infinity, count: 0, rows: 'even' };
  const sum = gaps.reduce((total, gap) => total + gap, 0);
  gaps.sort((a, b) => a - b);
  const gap = Math.max(gaps[Math.floor(gaps.length / 2)], sum / gaps.length);
  const rows = gaps[gaps.length - 1] - gaps[0] > 1e-3 * gap ? 'uneven' : 'even';
  return { gap, count: gaps.length + 1, rows };
}

/**
 * One-sided amplitude spectrum of a column between two times: a sine of amplitude A on a line shows A.
 *
 * There are as many uniform samples as rows, so the spectrum ends at their Nyquist frequency; zero padding extends the
 * length to a power of two. The windowed mean is removed, and lines below one period in the whole interval are left
 * out, because they say nothing about oscillations.
 */
export function spectrum(t: ArrayLike<number>, values: ArrayLike<number>, from: number, to: number): Spectrum {
  const begin = Math.max(from, t.length > 0 ? t[0] : 0);
  const span = Math.min(to, t.length > 0 ? t[t.length - 1] : 0) - begin;
  const { gap, count: found, rows } = rowGap(t, from, to);
  if (!(span > 0) || found < LEAST_ROWS) return NOTHING;
  const count = Math.min(MOST_ROWS, Math.floor(span / gap + 1e-6) + 1);
  if (count < LEAST_ROWS) return NOTHING;
  const samples = resample(t, values, begin, begin + span, count);
  const hann = samples.map((_, k) => 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / (count - 1)));
  const weight = hann.reduce((sum, part) => sum + part, 0);
  const mean = samples.reduce((sum, value, k) => sum + value * hann[k], 0) / weight;
  const long = 2 ** Math.ceil(Math.log2(PADDING * count));
  const re = new Float64Array(long);
  const im = new Float64Array(long);
  for (let k = 0; k < count; k += 1) re[k] = (samples[k] - mean) * hann[k];
  fft(re, im);
  const rate = (count - 1) / span;
  const first = Math.max(1, Math.ceil((long / count) * (1 - 1e-9)));
  const lines = long / 2 - first + 1;
  const frequency = new Float64Array(lines);
  const amplitude = new Float64Array(lines);
  for (let k = 0; k < lines; k += 1) {
    const at = first + k;
    frequency[k] = (at * rate) / long;
    // The Nyquist line has no mirror image and counts once.
    amplitude[k] = (Math.hypot(re[at], im[at]) * (at === long / 2 ? 1 : 2)) / weight;
  }
  return { frequency, amplitude, resolution: rate / count, limit: rate / 2, rows };
}
