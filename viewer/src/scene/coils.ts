/** Coil springs: one helix deformed in the shader, so that the wire stays round at any length. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  MeshLambertMaterial,
} from 'three';
import type { Point, Turn } from '../data/contract.ts';
import { turnFromZ } from '../math/pose.ts';
import { LAYER, layered } from './flat.ts';
import { setInstance } from './instances.ts';

const TURNS = 9;
const AROUND = 16;
const SIDES = 6;

/** Position along, angle on the helix, fraction of the coil radius, angle on the wire: four numbers per vertex. */
function helix(): BufferGeometry {
  const rings = TURNS * AROUND + 1;
  const data: number[] = [];
  const triangles: number[] = [];
  const lead = 0.08;
  const stations: [number, number, number][] = [[0, 0, 0]];
  for (let k = 0; k < rings; k += 1) {
    const s = k / (rings - 1);
    const grow = Math.min(1, Math.min(s, 1 - s) * TURNS * 2);
    stations.push([lead + (1 - 2 * lead) * s, s * TURNS * 2 * Math.PI, grow]);
  }
  stations.push([1, TURNS * 2 * Math.PI, 0]);
  stations.forEach(([along, angle, grow], ring) => {
    for (let side = 0; side <= SIDES; side += 1) {
      data.push(along, angle, grow, (side / SIDES) * 2 * Math.PI);
      if (ring + 1 < stations.length && side < SIDES) {
        const a = ring * (SIDES + 1) + side;
        const b = a + SIDES + 1;
        triangles.push(a, a + 1, b, b, a + 1, b + 1);
      }
    }
  });
  const geometry = new BufferGeometry();
  const count = data.length / 4;
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(count * 3), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(count * 3), 3));
  geometry.setAttribute('helix', new BufferAttribute(Float32Array.from(data), 4));
  geometry.setIndex(triangles);
  return geometry;
}

const BEND = `
  vec3 radial = vec3(cos(helix.y), sin(helix.y), 0.0);
  vec3 coilCentre = vec3(radial.xy * spring.y * helix.z, helix.x * spring.x);
  float pitch = spring.x / (${TURNS}.0 * 6.2831853);
  vec3 along = normalize(vec3(-sin(helix.y) * spring.y * helix.z, cos(helix.y) * spring.y * helix.z, pitch + 1e-9));
  vec3 across = normalize(cross(along, radial));
  vec3 wireNormal = radial * cos(helix.w) + across * sin(helix.w);
`;

export class Coils {
  readonly mesh: InstancedMesh;
  private readonly springs: InstancedBufferAttribute;
  private readonly q: Turn = [1, 0, 0, 0];

  constructor(count: number, opacity: number) {
    const geometry = helix();
    this.springs = new InstancedBufferAttribute(new Float32Array(Math.max(1, count) * 3), 3);
    this.springs.setUsage(DynamicDrawUsage);
    geometry.setAttribute('spring', this.springs);
    const material = new MeshLambertMaterial({ transparent: opacity < 1, opacity });
    layered(material, LAYER.link, 4, {
      name: 'coil',
      change: (shader) => {
        shader.vertexShader = shader.vertexShader
          .replace('#include <common>', '#include <common>\nattribute vec4 helix; attribute vec3 spring;')
          .replace('#include <beginnormal_vertex>', `${BEND}\nvec3 objectNormal = wireNormal;`)
          .replace('#include <begin_vertex>', 'vec3 transformed = coilCentre + wireNormal * spring.z;');
      },
    });
    this.mesh = new InstancedMesh(geometry, material, Math.max(1, count));
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => undefined;
    this.mesh.visible = count > 0;
  }

  place(index: number, a: Point, b: Point, radius: number, wire: number): void {
    const axis: Point = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    setInstance(this.mesh, index, a, turnFromZ(axis, this.q), [1, 1, 1]);
    this.springs.setXYZ(index, Math.hypot(axis[0], axis[1], axis[2]), radius, wire);
  }

  end(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    this.springs.needsUpdate = true;
  }

  recolour(colour: string): void {
    (this.mesh.material as MeshLambertMaterial).color = new Color(colour);
  }
}
