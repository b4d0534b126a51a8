import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outline, Point, Turn } from '../../src/data/contract.ts';
import { turnAbout } from '../../src/math/pose.ts';
import {
  fillTube,
  hermite,
  outlineRing,
  ringCount,
  STATIONS,
  tubeTriangles,
  vertexCount,
  type Skin,
} from '../../src/math/tube.ts';

const SECTIONS: Outline[] = [
  { type: 'circle', radius: 0.1 },
  { type: 'rectangle', width: 0.2, height: 0.1 },
];

function skinOf(points: Point[], turns: Turn[], section: Outline): Skin {
  const count = vertexCount(points.length, section);
  const skin = { positions: new Float32Array(count * 3), normals: new Float32Array(count * 3) };
  fillTube(points, turns, section, skin, 0);
  return skin;
}

function volume(skin: Skin, triangles: number[]): number {
  let sum = 0;
  const at = (k: number): Point => [skin.positions[3 * k], skin.positions[3 * k + 1], skin.positions[3 * k + 2]];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [at(triangles[k]), at(triangles[k + 1]), at(triangles[k + 2])];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

test('a cubic through points of a circle with its tangents stays close to the circle', () => {
  const angle = Math.PI / 8;
  const out = hermite(
    [1, 0, 0],
    [0, 1, 0],
    [Math.cos(angle), Math.sin(angle), 0],
    [-Math.sin(angle), Math.cos(angle), 0],
    0.5,
  );
  assert.ok(Math.abs(Math.hypot(...out) - 1) < 1e-3);
});

test('the skin of a straight beam is closed, points outwards and holds its volume', () => {
  const points: Point[] = [
    [0, 0, 0],
    [0.5, 0, 0],
    [1, 0, 0],
  ];
  const turns: Turn[] = points.map(() => [1, 0, 0, 0]);
  for (const section of SECTIONS) {
    const skin = skinOf(points, turns, section);
    const area = section.type === 'circle' ? 7 * 0.01 * Math.sin((2 * Math.PI) / 14) : 0.02;
    assert.ok(Math.abs(volume(skin, tubeTriangles(3, section, 0)) - area) < 1e-6);
  }
});

test('normals agree with the triangles, also of a bent and twisted beam', () => {
  const points: Point[] = [
    [0, 0, 0],
    [0.5, 0.05, 0.02],
    [0.95, 0.2, 0.05],
  ];
  const turns: Turn[] = [[1, 0, 0, 0], turnAbout([0.2, 0, 0.2]), turnAbout([0.4, -0.05, 0.45])];
  for (const section of SECTIONS) {
    const skin = skinOf(points, turns, section);
    const triangles = tubeTriangles(3, section, 0);
    const at = (list: Float32Array, k: number): Point => [list[3 * k], list[3 * k + 1], list[3 * k + 2]];
    for (let k = 0; k < triangles.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map((j) => at(skin.positions, triangles[k + j]));
      const u = b.map((part, j) => part - a[j]);
      const v = c.map((part, j) => part - a[j]);
      const face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      if (Math.hypot(...face) < 1e-9) continue;
      const normal = at(skin.normals, triangles[k]);
      assert.ok(
        face[0] * normal[0] + face[1] * normal[1] + face[2] * normal[2] > 0,
        `triangle ${k / 3} of a ${section.type} looks inwards`,
      );
    }
  }
});

test('rings pass through the nodes themselves', () => {
  const points: Point[] = [
    [0, 0, 0],
    [0.4, 0.1, 0],
    [0.8, 0.3, 0.1],
    [1, 0.6, 0.1],
  ];
  const turns: Turn[] = points.map((_, k) => turnAbout([0, 0, 0.3 * k]));
  const section = SECTIONS[1];
  const skin = skinOf(points, turns, section);
  const around = outlineRing(section).length;
  assert.equal(ringCount(4), 3 * STATIONS + 1);
  points.forEach((point, node) => {
    for (let axis = 0; axis < 3; axis += 1) {
      let middle = 0;
      for (let k = 0; k < around; k += 1) middle += skin.positions[(node * STATIONS * around + k) * 3 + axis] / around;
      assert.ok(Math.abs(middle - point[axis]) < 1e-6);
    }
  });
});
