/** Positions and quaternions (w, x, y, z) as plain numbers, used by film, beams and modes. */

import type { Point, Turn } from '../data/contract.ts';

export function multiply(a: Turn, b: Turn, out: Turn = [0, 0, 0, 0]): Turn {
  const w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  const z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w;
  out[1] = x;
  out[2] = y;
  out[3] = z;
  return out;
}

export function rotate(q: Turn, v: Point, out: Point = [0, 0, 0]): Point {
  const [w, x, y, z] = q;
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  const rx = v[0] + w * tx + y * tz - z * ty;
  const ry = v[1] + w * ty + z * tx - x * tz;
  const rz = v[2] + w * tz + x * ty - y * tx;
  out[0] = rx;
  out[1] = ry;
  out[2] = rz;
  return out;
}

export function normalised(q: Turn, out: Turn = [0, 0, 0, 0]): Turn {
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  const scale = length > 0 ? 1 / length : 0;
  out[0] = length > 0 ? q[0] * scale : 1;
  out[1] = q[1] * scale;
  out[2] = q[2] * scale;
  out[3] = q[3] * scale;
  return out;
}

/** Spherical interpolation along the shorter arc. */
export function mixTurn(a: Turn, b: Turn, part: number, out: Turn = [0, 0, 0, 0]): Turn {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  let one = 1 - part;
  let two = part;
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    const sine = Math.sin(angle);
    one = Math.sin(one * angle) / sine;
    two = Math.sin(two * angle) / sine;
  }
  two *= sign;
  for (let k = 0; k < 4; k += 1) out[k] = one * a[k] + two * b[k];
  return normalised(out, out);
}

/** Quaternion of a rotation vector. */
export function turnAbout(v: Point, out: Turn = [0, 0, 0, 0]): Turn {
  const angle = Math.hypot(v[0], v[1], v[2]);
  const scale = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  out[0] = Math.cos(angle / 2);
  out[1] = v[0] * scale;
  out[2] = v[1] * scale;
  out[3] = v[2] * scale;
  return out;
}

/** Quaternion that rotates the unit vector z to a direction. */
export function turnFromZ(direction: Point, out: Turn = [0, 0, 0, 0]): Turn {
  const length = Math.hypot(direction[0], direction[1], direction[2]) || 1;
  const x = direction[0] / length;
  const y = direction[1] / length;
  const z = direction[2] / length;
  if (z < -0.999999) {
    out[0] = 0;
    out[1] = 1;
    out[2] = 0;
    out[3] = 0;
    return out;
  }
  out[0] = 1 + z;
  out[1] = -y;
  out[2] = x;
  out[3] = 0;
  return normalised(out, out);
}

/** Poses of all figures, seven numbers each: position, then quaternion. */
export class Poses {
  readonly data: Float64Array;

  constructor(readonly count: number) {
    this.data = new Float64Array(count * 7);
  }

  position(figure: number, out: Point = [0, 0, 0]): Point {
    const base = figure * 7;
    out[0] = this.data[base];
    out[1] = this.data[base + 1];
    out[2] = this.data[base + 2];
    return out;
  }

  turn(figure: number, out: Turn = [0, 0, 0, 0]): Turn {
    const base = figure * 7 + 3;
    for (let k = 0; k < 4; k += 1) out[k] = this.data[base + k];
    return out;
  }

  /** World position of a point on a figure. */
  place(figure: number, p: Point, out: Point = [0, 0, 0]): Point {
    rotate(this.turn(figure, scratchTurn), p, out);
    const base = figure * 7;
    out[0] += this.data[base];
    out[1] += this.data[base + 1];
    out[2] += this.data[base + 2];
    return out;
  }
}

const scratchTurn: Turn = [1, 0, 0, 0];
