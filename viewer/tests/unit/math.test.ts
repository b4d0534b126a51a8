import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mode, Point, Turn } from '../../src/data/contract.ts';
import { between, nearestRow, rowAt, valueAt } from '../../src/data/rows.ts';
import { csvField, instant, length, niceBelow, number, quantity } from '../../src/math/format.ts';
import { modeScale, poseMode } from '../../src/math/modes.ts';
import { percentile } from '../../src/math/percentile.ts';
import { mixTurn, multiply, Poses, rotate, turnAbout, turnFromZ } from '../../src/math/pose.ts';
import { hanging, sagDepth } from '../../src/math/sag.ts';
import { wrapped } from '../../src/math/wrap.ts';
import { fft, spectrum } from '../../src/math/spectrum.ts';

const near = (a: number, b: number, slack = 1e-12): void => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);
const nearAll = (a: ArrayLike<number>, b: ArrayLike<number>, slack = 1e-12): void => {
  assert.equal(a.length, b.length);
  for (let k = 0; k < a.length; k += 1) near(a[k], b[k], slack);
};

test('rows for an instant, at the ends and on both sides of an event', () => {
  const t = [0, 1, 1, 2];
  assert.equal(rowAt(t, -1), 0);
  assert.equal(rowAt(t, 0.5), 0);
  assert.equal(rowAt(t, 1), 2);
  assert.equal(rowAt(t, 9), 3);
  assert.deepEqual(between(t, 0.25), { row: 0, next: 1, part: 0.25 });
  assert.deepEqual(between(t, 2), { row: 3, next: 3, part: 0 });
  assert.equal(nearestRow(t, 0.6), 1);
  near(valueAt(t, [0, 10, 20, 40], 1.5), 30);
  near(valueAt(t, [0, 10, 20, 40], 0.999), 9.99);
  assert.ok(Number.isNaN(valueAt([], [], 1)));
});

test('numbers read as an engineer writes them', () => {
  assert.equal(number(0), '0');
  assert.equal(number(-1.23456), '−1.235');
  assert.equal(number(-1.55e-29), '−1.55e−29');
  assert.equal(number(123456), '1.23e5');
  assert.equal(number(1.5e-7, 3), '1.5e-7'.replace('-', '−'));
  assert.equal(number(NaN), '–');
  assert.equal(number(-Infinity), '−∞');
  assert.equal(number(999.99), '1000');
  assert.equal(quantity(2, 'N'), '2.000\u202fN');
  assert.equal(quantity(2, '1', 1), '2');
  assert.equal(instant(1.23456, 10), '1.23');
  assert.equal(instant(-0.00001, 1), '0.000');
  assert.equal(length(0.25), '250\u202fmm');
  assert.equal(niceBelow(0.07), 0.05);
  assert.equal(niceBelow(30), 20);
});

test('fields of a CSV are quoted and never formulas', () => {
  assert.equal(csvField('a,b'), '"a,b"');
  assert.equal(csvField('say "x"'), '"say ""x"""');
  assert.equal(csvField('=SUM(A1)'), "'=SUM(A1)");
  assert.equal(csvField('-1.5'), '-1.5');
});

test('a quarter turn halfway is an eighth, the short way round whatever the sign', () => {
  const a: Turn = [1, 0, 0, 0];
  const b = turnAbout([0, 0, Math.PI / 2]);
  const minus = b.map((part) => -part) as Turn;
  const expected = turnAbout([0, 0, Math.PI / 4]);
  nearAll(mixTurn(a, b, 0.5), expected);
  nearAll(mixTurn(a, minus, 0.5), expected);
  nearAll(mixTurn(a, b, 0), a);
  nearAll(mixTurn(a, b, 1), b);
  const small = turnAbout([1e-5, 0, 0]);
  nearAll(mixTurn(a, small, 0.5), turnAbout([5e-6, 0, 0]), 1e-15);
});

test('turns multiply as they act, and z is taken onto any direction', () => {
  const a = turnAbout([0.3, -0.2, 0.9]);
  const b = turnAbout([-1, 0.4, 0.1]);
  const v: Point = [1, 2, 3];
  nearAll(rotate(multiply(a, b), v), rotate(a, rotate(b, v)), 1e-12);
  for (const direction of [
    [0, 0, 1],
    [0, 0, -1],
    [1, 0, 0],
    [0.6, -0.8, 0],
    [0, 1e-9, -1],
  ] as Point[]) {
    const size = Math.hypot(...direction);
    nearAll(
      rotate(turnFromZ(direction), [0, 0, 1]),
      direction.map((part) => part / size),
      2e-6,
    );
  }
});

test('the transform of a shifted impulse turns with frequency', () => {
  const n = 16;
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  re[3] = 1;
  fft(re, im);
  for (let k = 0; k < n; k += 1) {
    near(re[k], Math.cos((-2 * Math.PI * 3 * k) / n));
    near(im[k], Math.sin((-2 * Math.PI * 3 * k) / n));
  }
  assert.throws(() => fft(new Float64Array(6), new Float64Array(6)), /power of two/);
});

test('a sine of amplitude two at 5 Hz shows two at 5 Hz, also from uneven rows', () => {
  const rows = 4096;
  const even = Float64Array.from({ length: rows }, (_, k) => (k / (rows - 1)) * 8);
  const uneven = even.map((t) => t + 0.0004 * Math.sin(37 * t));
  uneven[0] = 0;
  uneven[rows - 1] = 8;
  for (const t of [even, uneven]) {
    const { frequency, amplitude } = spectrum(
      t,
      t.map((x) => 3 + 2 * Math.sin(2 * Math.PI * 5 * x)),
      0,
      8,
    );
    let best = 0;
    for (let k = 1; k < amplitude.length; k += 1) if (amplitude[k] > amplitude[best]) best = k;
    near(frequency[best], 5, 0.07);
    near(amplitude[best], 2, 0.02);
    assert.ok(amplitude[0] < 1e-3, 'the mean is taken off');
  }
  assert.equal(spectrum([0, 1], [1, 2], 0, 1).frequency.length, 0);
});

test('a spectrum ends at half the rate of its rows', () => {
  // Seven seconds at ten rows a second, with one row more at an event: nothing can be known above 5 Hz.
  const even = Array.from({ length: 71 }, (_, k) => k / 10);
  for (const t of [even, [...even.slice(0, 31), 3.04, 3.04, ...even.slice(31)]]) {
    const { frequency, amplitude, limit, resolution, rows } = spectrum(
      t,
      t.map((x) => 4 + Math.sin(2 * Math.PI * 2 * x)),
      0,
      7,
    );
    near(limit, 5, 1e-9);
    near(frequency[frequency.length - 1], 5, 1e-9);
    assert.ok(frequency[0] > 0.12, 'no line at 0 Hz');
    near(resolution, 10 / 71, 1e-9);
    assert.equal(rows, t === even ? 'even' : 'uneven');
    const best = amplitude.indexOf(Math.max(...amplitude));
    near(frequency[best], 2, 0.05);
    near(amplitude[best], 1, 0.02);
    if (t === even) {
      const high = amplitude.filter((_, k) => frequency[k] > 3);
      assert.ok(Math.max(...high) < 1e-3, 'straight lines between rows make no lines of their own');
    }
  }
  // A constant has no lines at all, and a zoom beyond the rows invents none.
  const still = spectrum(
    even,
    even.map(() => 9),
    -5,
    50,
  );
  assert.ok(still.amplitude.every((value) => value < 1e-12));
  near(still.limit, 5, 1e-9);
});

test('percentile leaves out what is no number', () => {
  assert.equal(percentile([1, NaN, 2, 3, 4, 5, 6, 7, 8, 9, Infinity, 10], 0.95), 10);
  assert.equal(percentile([], 0.5), 0);
});

test('a slack rope is as long as it is', () => {
  const points = hanging([0, 0, 0], [1, 0, 0], 0.4, [0, -1, 0], 2000);
  let sum = 0;
  for (let k = 1; k < points.length; k += 1)
    sum += Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]);
  near(sum, 1.4, 1e-5);
  assert.ok(points[1000][1] < -0.3);
  assert.equal(sagDepth(1, 0.9), 0);
});

test('a mode moves and turns its figures about the pose they have', () => {
  const mode: Mode = {
    label: 'x',
    frequency: 1,
    damping: 0,
    kind: 'swings',
    growth: 0,
    shapes: [
      {
        figure: 1,
        translation: [
          [1, 0],
          [0, 1],
          [0, 0],
        ],
        rotation: [
          [0, 0],
          [0, 0],
          [0.5, 0],
        ],
      },
    ],
  };
  const poses = new Poses(2);
  poses.data.set([0, 0, 0, 1, 0, 0, 0, 5, 6, 7, 1, 0, 0, 0]);
  poseMode(mode, 0.1, 0, poses);
  nearAll(poses.position(1), [5.1, 6, 7]);
  nearAll(poses.turn(1), turnAbout([0, 0, 0.05]));
  poses.data.set([5, 6, 7, 1, 0, 0, 0], 7);
  poseMode(mode, 0.1, Math.PI / 2, poses);
  nearAll(poses.position(1), [5, 5.9, 7]);
  near(modeScale(mode, 0.2), 0.2 / Math.SQRT2);
});

test('a rope over a pulley touches it and turns half round between parallel strands', () => {
  const path = wrapped(
    [
      [-0.1, -1, 0],
      [0, 0, 0],
      [0.1, -2, 0],
    ],
    [0, 0.1, 0],
  );
  let length = 0;
  for (let k = 1; k < path.length; k += 1)
    length += Math.hypot(path[k][0] - path[k - 1][0], path[k][1] - path[k - 1][1], path[k][2] - path[k - 1][2]);
  assert.ok(Math.abs(length - (1 + 2 + 0.1 * Math.PI)) < 1e-3, String(length));
  for (const p of path.slice(1, -1)) assert.ok(Math.abs(Math.hypot(...p) - 0.1) < 1e-12);
  assert.ok(Math.max(...path.map((p) => p[1])) > 0.0999);
});
