/** Joint symbols, about two units wide, with dark and light parts and the axis along z. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  OctahedronGeometry,
  SphereGeometry,
  TorusGeometry,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Glyph } from '../data/contract.ts';

type Tone = 'dark' | 'light';

/** Tones are stored as colours: red for dark, green for light; the material mixes the two palette colours. */
function toned(geometry: BufferGeometry, tone: Tone): BufferGeometry {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const count = plain.getAttribute('position').count;
  const tones = new Float32Array(count).fill(tone === 'light' ? 1 : 0);
  plain.setAttribute('tone', new BufferAttribute(tones, 1));
  plain.deleteAttribute('uv');
  return plain;
}

const tube = (radius: number, length: number, tone: Tone): BufferGeometry =>
  toned(new CylinderGeometry(radius, radius, length, 28).rotateX(Math.PI / 2), tone);
const box = (x: number, y: number, z: number, tone: Tone): BufferGeometry => toned(new BoxGeometry(x, y, z), tone);
const ball = (radius: number, tone: Tone): BufferGeometry => toned(new SphereGeometry(radius, 24, 16), tone);
const ring = (radius: number, wire: number, tone: Tone): BufferGeometry =>
  toned(new TorusGeometry(radius, wire, 10, 32), tone);

/** An axis that may be seen from the side is drawn as a thin pin through the joint. */
const pin = (): BufferGeometry => tube(0.14, 4.6, 'dark');

function pieces(glyph: Glyph): BufferGeometry[] {
  switch (glyph) {
    case 'revolute':
      return [tube(1, 1.7, 'dark'), tube(0.6, 2.1, 'light'), pin()];
    case 'cylindrical':
      return [tube(0.9, 2.6, 'dark'), tube(0.45, 5, 'light')];
    case 'prismatic_z':
    case 'prismatic_x':
      return [box(1.5, 1.5, 2.4, 'dark'), box(0.8, 0.8, 3, 'light')];
    case 'spherical':
      return [ball(0.85, 'light'), ring(0.9, 0.22, 'dark'), ring(0.9, 0.12, 'dark').rotateX(Math.PI / 2)];
    case 'universal':
      return [
        tube(0.28, 2.8, 'dark').rotateX(Math.PI / 2),
        tube(0.28, 2.8, 'dark').rotateY(Math.PI / 2),
        ball(0.55, 'light'),
        ring(1.35, 0.16, 'dark'),
      ];
    case 'plane':
      return [
        box(3, 3, 0.25, 'light'),
        box(3.2, 0.2, 0.35, 'dark').translate(0, 1.5, 0),
        box(3.2, 0.2, 0.35, 'dark').translate(0, -1.5, 0),
        box(0.2, 3.2, 0.35, 'dark').translate(1.5, 0, 0),
        box(0.2, 3.2, 0.35, 'dark').translate(-1.5, 0, 0),
      ];
    case 'fixed':
      return [
        box(1.5, 1.5, 1.5, 'dark'),
        box(0.85, 0.85, 1.6, 'light'),
        box(0.85, 1.6, 0.85, 'light'),
        box(1.6, 0.85, 0.85, 'light'),
      ];
    case 'rolling':
      return [ring(1, 0.2, 'dark'), tube(0.25, 1, 'light')];
    case 'coupling':
      return [
        ring(0.8, 0.25, 'dark'),
        ...Array.from({ length: 8 }, (_, k) =>
          box(0.4, 0.3, 0.5, 'dark')
            .translate(1.15, 0, 0)
            .rotateZ((k * Math.PI) / 4),
        ),
        tube(0.35, 0.6, 'light'),
      ];
    case 'other':
      return [toned(new OctahedronGeometry(0.9), 'light'), ring(0.75, 0.14, 'dark')];
  }
}

export function glyphGeometry(glyph: Glyph): BufferGeometry {
  const merged = mergeGeometries(pieces(glyph));
  if (glyph === 'prismatic_x') merged.rotateY(Math.PI / 2);
  return merged;
}

/** The support of a ground pin in the planar view: a triangle, hatched below. */
export function supportGeometry(): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = [0, 0, 0, -1.5, -2.4, 0, 1.5, -2.4, 0];
  const base = [-2.1, -2.4, 0, -2.1, -2.65, 0, 2.1, -2.65, 0, -2.1, -2.4, 0, 2.1, -2.65, 0, 2.1, -2.4, 0];
  const hatch: number[] = [];
  for (let k = 0; k < 6; k += 1) {
    const x = -1.75 + 0.72 * k;
    hatch.push(x, -2.6, 0, x - 0.55, -3.2, 0, x - 0.43, -3.2, 0, x, -2.6, 0, x - 0.43, -3.2, 0, x + 0.12, -2.6, 0);
  }
  const all = [...corners, ...base, ...hatch].map((value) => 1.5 * value);
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(all), 3));
  const normals = new Float32Array(all.length);
  for (let k = 2; k < all.length; k += 3) normals[k] = 1;
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  const tones = new Float32Array(all.length / 3);
  tones.fill(0.75, 0, 3);
  geometry.setAttribute('tone', new BufferAttribute(tones, 1));
  return geometry;
}
