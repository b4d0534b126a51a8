import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { test } from 'node:test';
import type { Header } from '../../src/data/contract.ts';
import { decodeArray, decodeDelta32, fromBase64, openContainer } from '../../src/data/decode.ts';
import { Run } from '../../src/data/run.ts';
import { Arrays, container, encodeDelta32 } from '../../sample/pack.ts';
import { fourBar } from '../../sample/fourbar.ts';
import { ball } from '../../sample/planar.ts';

test('delta32 gives back every bit pattern, also of infinities, NaN and minus zero', () => {
  const values = Float32Array.from([0, -0, 1, -1, 1e-45, 3.4e38, -3.4e38, Infinity, -Infinity, NaN, 0.1, 0.1000001]);
  const back = decodeDelta32(encodeDelta32(values), 0, values.length);
  assert.deepEqual(new Uint32Array(back.buffer), new Uint32Array(values.buffer));
});

test('delta32 is what the contract says, byte by byte', () => {
  // 1.0 is 0x3f800000, zig-zag 0x7f000000; then -1 in the last place: zig-zag 1.
  const bytes = Uint8Array.from([0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x7f, 0x00]);
  const back = new Uint32Array(decodeDelta32(bytes, 0, 2).buffer);
  assert.deepEqual([...back], [0x3f800000, 0x3f7fffff]);
});

test('a container opens at any offset of its header', () => {
  for (let extra = 0; extra < 9; extra += 1) {
    const arrays = new Arrays();
    arrays.instants([0, 0.5, 1]);
    arrays.floats([1, 2, 3]);
    const bytes = container({ version: 1, title: 'x'.repeat(extra) } as unknown as Header, arrays);
    const opened = openContainer(bytes);
    assert.deepEqual([...decodeArray(opened, 0)], [0, 0.5, 1]);
    assert.deepEqual([...decodeArray(opened, 1)], [1, 2, 3]);
  }
});

test('a container cut short or of another version is refused in words', () => {
  const arrays = new Arrays();
  arrays.instants([0, 1]);
  const bytes = container({ version: 1 } as unknown as Header, arrays);
  assert.throws(() => openContainer(bytes.subarray(0, bytes.length - 8)), /truncated in its arrays/);
  assert.throws(() => openContainer(bytes.subarray(0, 12)), /truncated in its header/);
  assert.throws(() => openContainer(new Uint8Array(2)), /empty/);
  assert.throws(() => openContainer(container({ version: 2 } as unknown as Header, arrays)), /version 2/);
});

test('base64 gives back its bytes', () => {
  const bytes = Uint8Array.from({ length: 259 }, (_, k) => k % 256);
  assert.deepEqual(fromBase64(Buffer.from(bytes).toString('base64')), bytes);
});

test('poses on an instant of the film are the numbers of the film', () => {
  const opened = openContainer(gunzipSync(fourBar()));
  const run = new Run(opened);
  const out = new Float64Array(run.figureCount * 7);
  const row = 137;
  run.posesAt(run.filmTimes[row], out);
  const track = opened.header.film.tracks[1];
  const numbers = [...track.p, ...track.q].map((one) =>
    typeof one === 'number' ? decodeArray(opened, one)[row] : one.constant,
  );
  assert.deepEqual([...out.subarray(7, 14)], numbers);
});

test('columns are found by name and element; the empty name is always zero', () => {
  const run = new Run(openContainer(gunzipSync(ball())));
  assert.equal(run.at('', 1), 0);
  assert.ok(Number.isNaN(run.at('no such column', 1)));
  assert.ok(Math.abs(run.at('ball.y', 0) - 1.1) < 1e-6);
  assert.deepEqual(
    run.columnsOf('floor').map(({ name }) => name),
    ['floor.x', 'floor.y', 'floor.fx', 'floor.fy'],
  );
});
