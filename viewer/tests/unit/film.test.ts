import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Component, Track } from '../../src/data/contract.ts';
import { blend, Film } from '../../src/data/film.ts';

/** A film of one figure from columns of numbers. */
function filmOf(t: number[], columns: number[][], events: { t: number }[] = []): Film {
  const track: Track = { p: [0, 1, 2], q: [3, 4, 5, 6] as unknown as [Component, Component, Component, Component] };
  return new Film(Float64Array.from(t), [track], (index) => Float64Array.from(columns[index]), events);
}

const STEP = Math.PI / 9;
const angles = Array.from({ length: 19 }, (_, k) => k * STEP);

test('a body seen every twenty degrees keeps to its circle, its turn to its place', () => {
  const flip = (k: number): number => (k % 3 === 0 ? -1 : 1);
  const film = filmOf(angles, [
    angles.map(Math.cos),
    angles.map(Math.sin),
    angles.map(() => 0),
    angles.map((a, k) => flip(k) * Math.cos(a / 2)),
    angles.map(() => 0),
    angles.map(() => 0),
    angles.map((a, k) => flip(k) * Math.sin(a / 2)),
  ]);
  for (let a = 2 * STEP; a < 16 * STEP; a += 0.05) {
    const { p, q } = film.poseAt(0, a);
    assert.ok(Math.abs(Math.hypot(...p) - 1) < 2e-3, `${Math.hypot(...p)} from the middle at ${a}`);
    assert.ok(Math.abs(Math.hypot(...q) - 1) < 1e-12);
    const turned = 2 * Math.atan2(q[3], q[0]);
    assert.ok(Math.abs(Math.sin((turned - a) / 2)) < 1e-3, `turned ${turned} at ${a}`);
  }
});

test('what bounces at an event does not dip below it, and keeps its straight line on both sides', () => {
  const t = [0, 1, 2, 3, 4];
  const y = [2, 1, 0, 1, 2];
  const zero = t.map(() => 0);
  const columns = [zero, y, zero, t.map(() => 1), zero, zero, zero];
  const smooth = filmOf(t, columns);
  const sharp = filmOf(t, columns, [{ t: 2 }]);
  assert.ok(Math.abs(smooth.poseAt(0, 1.8).p[1] - 0.2) > 0.05, 'without the event the corner is rounded');
  for (let at = 0; at <= 4; at += 0.1) assert.ok(Math.abs(sharp.poseAt(0, at).p[1] - Math.abs(at - 2)) < 1e-12);
});

test('rows at one instant stand for both sides of a jump', () => {
  const t = [0, 1, 1, 2];
  const zero = t.map(() => 0);
  const film = filmOf(t, [[0, 1, 5, 6], zero, zero, t.map(() => 1), zero, zero, zero]);
  assert.ok(Math.abs(film.poseAt(0, 0.5).p[0] - 0.5) < 1e-12);
  assert.equal(film.poseAt(0, 1).p[0], 5);
  assert.ok(Math.abs(film.poseAt(0, 1.5).p[0] - 5.5) < 1e-12);
});

test('weights add to one and are exact for parabolas on uneven rows', () => {
  const t = [0, 0.7, 1.1, 2.4];
  const { weights } = blend(t, [0, 0, 0, 0], 1, 2, 0.3);
  assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-12);
  const at = t[1] + 0.3 * (t[2] - t[1]);
  const value = weights.reduce((sum, weight, k) => sum + weight * t[k] * t[k], 0);
  assert.ok(Math.abs(value - at * at) < 1e-12);
});

test('a ball that hits the floor between two rows comes down to the floor', () => {
  const g = 9.81;
  const hit = Math.sqrt(2 / g);
  const up = 0.8 * g * hit;
  const height = (t: number): number => (t <= hit ? 1 - (g * t * t) / 2 : up * (t - hit) - (g * (t - hit) ** 2) / 2);
  const t = Array.from({ length: 11 }, (_, k) => 0.1 * k);
  const zero = t.map(() => 0);
  const columns = [zero, zero, t.map(height), t.map(() => 1), zero, zero, zero];
  const film = filmOf(t, columns, [{ t: hit }]);
  for (let at = 0.2; at < 0.8; at += 0.005) {
    const z = film.poseAt(0, at).p[2];
    assert.ok(Math.abs(z - height(at)) < 1e-9, `${z} instead of ${height(at)} at ${at}`);
  }
  t.forEach((at, k) => assert.equal(film.poseAt(0, at).p[2], columns[2][k]));
});
