/**
 * The surface of a beam: rings of its section along a cubic Hermite curve through the nodes.
 *
 * Tangents are the section normals of the nodes (their rotated x axes), so a clamped end is perpendicular to its wall;
 * the section is rotated by spherical interpolation, so shear remains visible as in a Timoshenko beam.
 */

import type { Outline, Point, Turn } from '../data/contract.ts';
import { mixTurn, rotate } from './pose.ts';

/** Number of rings between two nodes. */
export const STATIONS = 6;

/** Outline of the section (y, z) with normals; sharp corners occur twice. */
export function outlineRing(section: Outline): { y: number; z: number; ny: number; nz: number }[] {
  if (section.type === 'circle') {
    const sides = 14;
    return Array.from({ length: sides + 1 }, (_, k) => {
      const angle = (2 * Math.PI * k) / sides;
      const ny = Math.cos(angle);
      const nz = Math.sin(angle);
      return { y: section.radius * ny, z: section.radius * nz, ny, nz };
    });
  }
  const y = section.width / 2;
  const z = section.height / 2;
  return [
    { y, z: -z, ny: 1, nz: 0 },
    { y, z, ny: 1, nz: 0 },
    { y, z, ny: 0, nz: 1 },
    { y: -y, z, ny: 0, nz: 1 },
    { y: -y, z, ny: -1, nz: 0 },
    { y: -y, z: -z, ny: -1, nz: 0 },
    { y: -y, z: -z, ny: 0, nz: -1 },
    { y, z: -z, ny: 0, nz: -1 },
  ];
}

export function ringCount(nodes: number): number {
  return nodes < 2 ? nodes : (nodes - 1) * STATIONS + 1;
}

/** Number of vertices of a tube: its rings and two end caps. */
export function vertexCount(nodes: number, section: Outline): number {
  return (ringCount(nodes) + 2) * outlineRing(section).length;
}

/** Triangles of a tube, counted from `first`. */
export function tubeTriangles(nodes: number, section: Outline, first: number): number[] {
  const around = outlineRing(section).length;
  const rings = ringCount(nodes);
  const triangles: number[] = [];
  for (let ring = 0; ring + 1 < rings; ring += 1) {
    for (let k = 0; k + 1 < around; k += 1) {
      const a = first + ring * around + k;
      const b = a + around;
      triangles.push(a, a + 1, b, b, a + 1, b + 1);
    }
  }
  const start = first + rings * around;
  const stop = start + around;
  for (let k = 1; k + 1 < around; k += 1) {
    triangles.push(start, start + k + 1, start + k);
    triangles.push(stop, stop + k, stop + k + 1);
  }
  return triangles;
}

/** Point of the cubic through two nodes at `s` in 0..1; both tangents have the length of the chord. */
export function hermite(a: Point, ta: Point, b: Point, tb: Point, s: number, out: Point = [0, 0, 0]): Point {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const s2 = s * s;
  const s3 = s2 * s;
  const ha = 2 * s3 - 3 * s2 + 1;
  const hta = (s3 - 2 * s2 + s) * length;
  const hb = -2 * s3 + 3 * s2;
  const htb = (s3 - s2) * length;
  for (let k = 0; k < 3; k += 1) out[k] = ha * a[k] + hta * ta[k] + hb * b[k] + htb * tb[k];
  return out;
}

export interface Skin {
  positions: Float32Array;
  normals: Float32Array;
}

/** Writes the tube through nodes at `points` with section orientations `turns`, from vertex `first` on. */
export function fillTube(points: Point[], turns: Turn[], section: Outline, skin: Skin, first: number): void {
  const ring = outlineRing(section);
  const x: Point = [1, 0, 0];
  const tangents = turns.map((q) => rotate(q, x));
  const rings = ringCount(points.length);
  let vertex = first;

  const write = (centre: Point, q: Turn, cap: number): void => {
    const ey = rotate(q, [0, 1, 0]);
    const ez = rotate(q, [0, 0, 1]);
    const ex = rotate(q, [1, 0, 0]);
    for (const corner of ring) {
      for (let k = 0; k < 3; k += 1) {
        skin.positions[vertex * 3 + k] = centre[k] + corner.y * ey[k] + corner.z * ez[k];
        skin.normals[vertex * 3 + k] = cap === 0 ? corner.ny * ey[k] + corner.nz * ez[k] : cap * ex[k];
      }
      vertex += 1;
    }
  };

  const centre: Point = [0, 0, 0];
  const turn: Turn = [1, 0, 0, 0];
  for (let k = 0; k < rings; k += 1) {
    const span = Math.min(Math.floor(k / STATIONS), points.length - 2);
    const s = (k - span * STATIONS) / STATIONS;
    if (points.length === 1) {
      write(points[0], turns[0], 0);
      continue;
    }
    hermite(points[span], tangents[span], points[span + 1], tangents[span + 1], s, centre);
    write(centre, mixTurn(turns[span], turns[span + 1], s, turn), 0);
  }
  write(points[0], turns[0], -1);
  write(points[points.length - 1], turns[turns.length - 1], 1);
}
