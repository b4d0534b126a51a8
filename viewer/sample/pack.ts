/** Writes the container the page reads, for samples and tests. */

import { gzipSync } from 'node:zlib';
import type { ArrayInfo, Component, Header } from '../src/data/contract.ts';

/** Collects arrays and gives their indices. */
export class Arrays {
  readonly infos: ArrayInfo[] = [];
  private readonly parts: Uint8Array[] = [];

  private push(info: ArrayInfo, plain: Uint8Array): number {
    const padded = new Uint8Array(Math.ceil(plain.length / 8) * 8);
    padded.set(plain);
    this.parts.push(padded);
    return this.infos.push(info) - 1;
  }

  instants(values: ArrayLike<number>): number {
    const plain = Float64Array.from(values);
    return this.push({ length: plain.length, coding: 'f64' }, new Uint8Array(plain.buffer));
  }

  floats(values: ArrayLike<number>): number {
    return this.push({ length: values.length, coding: 'delta32' }, encodeDelta32(Float32Array.from(values)));
  }

  /** A constant where the values never change. */
  component(values: ArrayLike<number>): Component {
    for (let k = 1; k < values.length; k += 1) if (values[k] !== values[0]) return this.floats(values);
    return { constant: Math.fround(values[0] ?? 0) };
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.parts);
  }
}

export function encodeDelta32(values: Float32Array): Uint8Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const n = values.length;
  const out = new Uint8Array(4 * n);
  let before = 0;
  for (let k = 0; k < n; k += 1) {
    const d = (bits[k] - before) | 0;
    const z = ((d << 1) ^ (d >> 31)) >>> 0;
    for (let plane = 0; plane < 4; plane += 1) out[plane * n + k] = (z >>> (8 * plane)) & 255;
    before = bits[k];
  }
  return out;
}

export function container(header: Header, arrays: Arrays): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: arrays.infos }));
  const start = Math.ceil((4 + text.length) / 4) * 4;
  const head = new Uint8Array(start);
  new DataView(head.buffer).setUint32(0, text.length, true);
  head.set(text, 4);
  return Buffer.concat([head, arrays.bytes()]);
}

export function pack(header: Header, arrays: Arrays): Uint8Array {
  return gzipSync(container(header, arrays), { level: 6 });
}
