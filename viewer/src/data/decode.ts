/**
 * The container: gzip( u32 header length | header JSON | padding to 4 | arrays ).
 *
 * Arrays are decoded on first use, so a run with hundreds of columns can be shown as soon as its film is decoded.
 */

import type { ArrayInfo, Header } from './contract.ts';

/** A header with its arrays still encoded. */
export interface Container {
  header: Header;
  bytes: Uint8Array;
  offsets: number[];
}

export function bytesOfArray(info: ArrayInfo): number {
  const plain = info.coding === 'f64' ? info.length * 8 : info.length * 4;
  return Math.ceil(plain / 8) * 8;
}

/** Reads the header and finds where each array begins. */
export function openContainer(bytes: Uint8Array): Container {
  if (bytes.byteLength < 4) throw new Error('the packed run is empty');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = view.getUint32(0, true);
  if (4 + headerLength > bytes.byteLength) throw new Error('the packed run is truncated in its header');
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength))) as Header;
  if (header.version !== 1)
    throw new Error(`the run is packed in version ${String(header.version)}; this page reads version 1`);
  let offset = Math.ceil((4 + headerLength) / 4) * 4;
  const offsets = header.arrays.map((info) => {
    const start = offset;
    offset += bytesOfArray(info);
    return start;
  });
  if (offset > bytes.byteLength) throw new Error('the packed run is truncated in its arrays');
  return { header, bytes, offsets };
}

/** Undoes `delta32`: four byte planes of zig-zag differences of float32 bit patterns. */
export function decodeDelta32(bytes: Uint8Array, offset: number, length: number): Float32Array {
  const bits = new Uint32Array(length);
  const second = offset + length;
  const third = second + length;
  const fourth = third + length;
  let before = 0;
  for (let k = 0; k < length; k += 1) {
    const z = bytes[offset + k] | (bytes[second + k] << 8) | (bytes[third + k] << 16) | (bytes[fourth + k] << 24);
    before = (before + ((z >>> 1) ^ -(z & 1))) | 0;
    bits[k] = before;
  }
  return new Float32Array(bits.buffer);
}

export function decodeArray(container: Container, index: number): Float32Array | Float64Array {
  const info = container.header.arrays[index];
  const offset = container.offsets[index];
  if (info === undefined || offset === undefined)
    throw new Error(`the run refers to array ${index}, which it does not contain`);
  if (info.coding === 'delta32') return decodeDelta32(container.bytes, offset, info.length);
  const values = new Float64Array(info.length);
  const view = new DataView(container.bytes.buffer, container.bytes.byteOffset + offset, info.length * 8);
  for (let k = 0; k < info.length; k += 1) values[k] = view.getFloat64(k * 8, true);
  return values;
}

export async function gunzip(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text);
  const bytes = new Uint8Array(plain.length);
  for (let k = 0; k < plain.length; k += 1) bytes[k] = plain.charCodeAt(k);
  return bytes;
}
