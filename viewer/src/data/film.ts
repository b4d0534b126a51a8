/**
 * Poses of all figures over time: the rows of the film, and smooth motion between them.
 *
 * Between rows, positions and quaternions are interpolated by cubics through the neighbouring rows; quaternions are
 * aligned in sign and normalised, so a crank recorded every twenty degrees still moves on its circle. At events, where
 * velocities jump, slopes are one-sided, so a bouncing ball does not dip into the floor.
 */

import type { Component, Point, Track, Turn } from './contract.ts';
import { landings, withLandings, type Landing } from './landings.ts';
import { between } from './rows.ts';

type Values = Float32Array | Float64Array;

interface OpenTrack {
  values: (Values | null)[];
  constants: number[];
}

/** Rows and weights of one interval: value = sum of weight times value over four rows. */
export interface Blend {
  rows: [number, number, number, number];
  weights: [number, number, number, number];
}

/** Hermite weights with slopes from differences; slopes are one-sided at rows that are `sharp`. */
export function blend(t: ArrayLike<number>, sharp: ArrayLike<number>, row: number, next: number, part: number): Blend {
  const before = Math.max(0, row - 1);
  const after = Math.min(t.length - 1, next + 1);
  const rows: Blend['rows'] = [before, row, next, after];
  const h = t[next] - t[row];
  if (part <= 0 || !(h > 0)) return { rows, weights: [0, 1, 0, 0] };
  const h0 = t[row] - t[before];
  const h1 = t[after] - t[next];
  const secant = [0, -1 / h, 1 / h, 0];
  const openLeft = h0 > 0 && sharp[row] === 0;
  const openRight = h1 > 0 && sharp[next] === 0;
  // Slope at a row from both sides; the nearer side has the larger weight.
  const left = secant.map((weight, k) => (weight * h0 + [-1 / h0, 1 / h0, 0, 0][k] * h) / (h0 + h));
  const right = secant.map((weight, k) => (weight * h1 + [0, 0, -1 / h1, 1 / h1][k] * h) / (h1 + h));
  const parabola = (other: number[]): number[] => secant.map((weight, k) => 2 * weight - other[k]);
  const from = openLeft ? left : openRight ? parabola(right) : secant;
  const to = openRight ? right : openLeft ? parabola(left) : secant;
  const s2 = part * part;
  const s3 = s2 * part;
  const value = [0, 2 * s3 - 3 * s2 + 1, -2 * s3 + 3 * s2, 0];
  const slopeFrom = (s3 - 2 * s2 + part) * h;
  const slopeTo = (s3 - s2) * h;
  const weights = value.map((weight, k) => weight + slopeFrom * from[k] + slopeTo * to[k]);
  return { rows, weights: weights as Blend['weights'] };
}

/** The series of a track, with the rows added at events. */
function opened(components: Component[], open: (index: number) => Values, added: Landing[]): OpenTrack {
  const constants = components.map((component) => (typeof component === 'number' ? 0 : component.constant));
  const plain = components.map((component) => (typeof component === 'number' ? open(component) : null));
  if (added.length === 0) return { values: plain, constants };
  const turn = (k: number, row: number): number => plain[3 + k]?.[row] ?? constants[3 + k];
  const sign = (row: number, after: number): number => {
    let dot = 0;
    for (let k = 0; k < 4; k += 1) dot += turn(k, row) * turn(k, after);
    return dot < 0 ? -1 : 1;
  };
  const values = plain.map((series, k) => (series ? withLandings(series, added, k < 3 ? () => 1 : sign) : null));
  return { values, constants };
}

export class Film {
  private readonly times: Float64Array;
  private readonly tracks: OpenTrack[];
  /** 1 at rows where velocities jump. */
  private readonly sharp: Uint8Array;

  constructor(times: Float64Array, tracks: Track[], open: (index: number) => Values, events: { t: number }[]) {
    const added = landings(times, events);
    this.times = added.length > 0 ? Float64Array.from([...times, ...added.map(({ t }) => t)]).sort() : times;
    this.tracks = tracks.map((track) => opened([...track.p, ...track.q], open, added));
    this.sharp = new Uint8Array(this.times.length);
    for (let k = 0; k + 1 < this.times.length; k += 1) {
      if (this.times[k + 1] === this.times[k]) this.sharp[k] = this.sharp[k + 1] = 1;
    }
    for (const { t } of events) {
      if (this.times.length === 0) break;
      const { row, next, part } = between(this.times, t);
      // An event between rows makes both neighbouring rows sharp.
      if (part < 1 - 1e-6) this.sharp[row] = 1;
      if (part > 1e-6) this.sharp[next] = 1;
    }
  }

  get count(): number {
    return this.tracks.length;
  }

  private write(figure: number, { rows, weights }: Blend, out: Float64Array, base: number): void {
    const { values, constants } = this.tracks[figure];
    const still = weights[1] === 1;
    for (let k = 0; k < 7; k += 1) {
      const series = values[k];
      if (!series) {
        out[base + k] = constants[k];
        continue;
      }
      const here = series[rows[1]];
      if (still) {
        out[base + k] = here;
        continue;
      }
      out[base + k] = here;
      if (k < 3) out[base + k] += rest(series, rows, weights, here);
    }
    if (!still) this.turn(values, constants, rows, weights, out, base);
  }

  /** Quaternions of the four rows, aligned in sign with the first, summed and normalised. */
  private turn(
    values: OpenTrack['values'],
    constants: number[],
    rows: Blend['rows'],
    weights: Blend['weights'],
    out: Float64Array,
    base: number,
  ): void {
    const sum: Turn = [0, 0, 0, 0];
    const at = (k: number, row: number): number => values[3 + k]?.[row] ?? constants[3 + k];
    for (let j = 0; j < 4; j += 1) {
      let dot = 0;
      for (let k = 0; k < 4; k += 1) dot += at(k, rows[j]) * at(k, rows[1]);
      const weight = dot < 0 ? -weights[j] : weights[j];
      for (let k = 0; k < 4; k += 1) sum[k] += weight * at(k, rows[j]);
    }
    const length = Math.hypot(...sum);
    if (!(length > 0)) return;
    for (let k = 0; k < 4; k += 1) out[base + 3 + k] = sum[k] / length;
  }

  /** Seven numbers per figure: position, then quaternion (w, x, y, z). At a row they are exactly the numbers of the film. */
  posesAt(instant: number, out: Float64Array): void {
    const mixed = this.mixAt(instant);
    for (let figure = 0; figure < this.tracks.length; figure += 1) this.write(figure, mixed, out, figure * 7);
  }

  private mixAt(instant: number): Blend {
    if (this.times.length === 0) return { rows: [0, 0, 0, 0], weights: [0, 1, 0, 0] };
    const { row, next, part } = between(this.times, instant);
    return blend(this.times, this.sharp, row, next, part);
  }

  /** Pose of one figure at an instant. */
  poseAt(figure: number, instant: number): { p: Point; q: Turn } {
    const out = new Float64Array(7);
    this.write(figure, this.mixAt(instant), out, 0);
    return { p: [out[0], out[1], out[2]], q: [out[3], out[4], out[5], out[6]] };
  }
}

/** Increment of the cubic over the value of its row; summed as differences to keep the digits of large positions. */
function rest(series: Values, rows: Blend['rows'], weights: Blend['weights'], here: number): number {
  return (
    weights[0] * (series[rows[0]] - here) +
    weights[2] * (series[rows[2]] - here) +
    weights[3] * (series[rows[3]] - here)
  );
}
