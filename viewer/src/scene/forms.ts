/** Shapes as instances of few unit geometries: a thousand boxes are one draw call. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Shape,
  SphereGeometry,
  Vector2,
} from 'three';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Form, Point, Turn } from '../data/contract.ts';
import { multiply, rotate, turnFromZ } from '../math/pose.ts';
import { addOutward } from './outline.ts';

/** Tessellation of round shapes; coarser for many bodies. */
export type Detail = 'fine' | 'coarse';

/** A unit geometry with its pose and scale on the figure. */
export interface Part {
  key: string;
  make: (detail: Detail) => BufferGeometry;
  p: Point;
  q: Turn;
  scale: Point;
}

const NONE: Turn = [1, 0, 0, 0];

/** Beach-ball shading, which makes the rotation of balls and wheels visible. */
function quartered(geometry: BufferGeometry, dark: (x: number, y: number, z: number) => boolean): BufferGeometry {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = plain.getAttribute('position');
  const colours = new Float32Array(position.count * 3).fill(1);
  for (let k = 0; k + 2 < position.count; k += 3) {
    const middle = [0, 1, 2].map(
      (axis) =>
        (position.getComponent(k, axis) + position.getComponent(k + 1, axis) + position.getComponent(k + 2, axis)) / 3,
    );
    if (dark(middle[0], middle[1], middle[2])) colours.fill(0.8, k * 3, k * 3 + 9);
  }
  plain.setAttribute('color', new BufferAttribute(colours, 3));
  return plain;
}

/** White if no shading is given, so that all geometries share one material. */
function finished(geometry: BufferGeometry): BufferGeometry {
  if (!geometry.getAttribute('color')) {
    geometry.setAttribute(
      'color',
      new BufferAttribute(new Float32Array(geometry.getAttribute('position').count * 3).fill(1), 3),
    );
  }
  geometry.deleteAttribute('uv');
  addOutward(geometry);
  return geometry;
}

const unitBox = (): BufferGeometry => finished(new BoxGeometry(1, 1, 1));
const around = (detail: Detail): number => (detail === 'fine' ? 32 : 12);

const unitBall = (detail: Detail): BufferGeometry =>
  finished(new SphereGeometry(1, around(detail), around(detail) / 2 + 2));
const unitTube = (detail: Detail): BufferGeometry =>
  finished(new CylinderGeometry(1, 1, 1, around(detail)).rotateX(Math.PI / 2));
/** Marks need separate triangles, with three times the vertices, so they are omitted for many bodies. */
const markedBall = (detail: Detail): BufferGeometry =>
  detail === 'coarse'
    ? unitBall(detail)
    : finished(
        quartered(
          new SphereGeometry(1, around(detail), around(detail) / 2).rotateX(Math.PI / 2),
          (x, y, z) => x * y * z > 0,
        ),
      );
const markedTube = (detail: Detail): BufferGeometry =>
  detail === 'coarse'
    ? unitTube(detail)
    : finished(
        quartered(
          new CylinderGeometry(1, 1, 1, around(detail) * 1.25, 1).rotateX(Math.PI / 2),
          (x, y, z) => Math.abs(z) > 0.49 && x * y > 0,
        ),
      );

function polygonGeometry(points: [number, number][]): BufferGeometry {
  const reach = Math.max(...points.map(([x, y]) => Math.hypot(x, y)), 1e-9);
  const depth = 0.15 * reach;
  const shape = new Shape(points.map(([x, y]) => new Vector2(x, y)));
  return finished(new ExtrudeGeometry(shape, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2));
}

function meshGeometry(vertices: number[], triangles: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(vertices), 3));
  const count = vertices.length / 3;
  geometry.setIndex(triangles.filter((_, k) => [0, 1, 2].every((j) => (triangles[k - (k % 3) + j] ?? count) < count)));
  if (triangles.length < 60_000) return finished(toCreasedNormals(geometry, Math.PI / 6));
  geometry.computeVertexNormals();
  return finished(geometry);
}

function alongRod(from: Point, to: Point, radius: number): Part[] {
  const axis: Point = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const length = Math.hypot(...axis);
  const q = turnFromZ(axis);
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2];
  const ball: Point = [radius, radius, radius];
  return [
    { key: 'tube', make: unitTube, p: middle, q, scale: [radius, radius, Math.max(length, 1e-9)] },
    { key: 'ball', make: unitBall, p: from, q, scale: ball },
    { key: 'ball', make: unitBall, p: to, q, scale: ball },
  ];
}

/** Parts of a form in axes of its figure, given where the form sits; half-spaces are drawn with the ground. */
export function partsOf(form: Form, p: Point, q: Turn, space: 'planar' | 'spatial', serial: number): Part[] {
  const one = (key: string, make: (detail: Detail) => BufferGeometry, scale: Point): Part[] => [
    { key, make, p, q, scale },
  ];
  switch (form.type) {
    case 'box':
      return one('box', unitBox, form.size);
    case 'sphere':
      if (space === 'planar') return one('wheel', markedTube, [form.radius, form.radius, form.radius]);
      return one('marked', markedBall, [form.radius, form.radius, form.radius]);
    case 'cylinder':
      return one('wheel', markedTube, [form.radius, form.radius, form.length]);
    case 'ellipsoid':
      return one('marked', markedBall, form.radii);
    case 'capsule':
    case 'rod': {
      const ends: [Point, Point] =
        form.type === 'rod'
          ? [form.from, form.to]
          : [
              [0, 0, -form.length / 2],
              [0, 0, form.length / 2],
            ];
      return alongRod(ends[0], ends[1], form.radius).map((part) => {
        const at = rotate(q, part.p);
        return { ...part, p: [p[0] + at[0], p[1] + at[1], p[2] + at[2]], q: multiply(q, part.q) };
      });
    }
    case 'polygon':
      return form.points.length < 3
        ? []
        : one(`polygon ${JSON.stringify(form.points)}`, () => polygonGeometry(form.points), [1, 1, 1]);
    case 'mesh':
      return form.triangles.length < 3
        ? []
        : one(`mesh ${serial}`, () => meshGeometry(form.vertices, form.triangles), [1, 1, 1]);
    case 'half_space':
    case 'half_plane':
      return [];
  }
}

/** Radius of the bounding sphere about the origin of the form. */
export function reachOf(form: Form): number {
  switch (form.type) {
    case 'box':
      return Math.hypot(...form.size) / 2;
    case 'sphere':
      return form.radius;
    case 'cylinder':
    case 'capsule':
      return form.length / 2 + form.radius;
    case 'ellipsoid':
      return Math.max(...form.radii);
    case 'rod':
      return Math.max(Math.hypot(...form.from), Math.hypot(...form.to)) + form.radius;
    case 'polygon':
      return form.points.reduce((most, [x, y]) => Math.max(most, Math.hypot(x, y)), 0);
    case 'mesh': {
      let most = 0;
      for (let k = 0; k + 2 < form.vertices.length; k += 3)
        most = Math.max(most, Math.hypot(form.vertices[k], form.vertices[k + 1], form.vertices[k + 2]));
      return most;
    }
    case 'half_space':
    case 'half_plane':
      return 0;
  }
}

export { NONE };
