/** Sets matrices of instances from plain numbers. */

import { InstancedMesh, Matrix4, Quaternion, Vector3 } from 'three';
import type { Point, Turn } from '../data/contract.ts';

const position = new Vector3();
const quaternion = new Quaternion();
const scaling = new Vector3();
const matrix = new Matrix4();

export function setInstance(mesh: InstancedMesh, index: number, p: Point, q: Turn, scale: Point): void {
  position.set(p[0], p[1], p[2]);
  quaternion.set(q[1], q[2], q[3], q[0]);
  scaling.set(scale[0], scale[1], scale[2]);
  mesh.setMatrixAt(index, matrix.compose(position, quaternion, scaling));
}

export function hideInstance(mesh: InstancedMesh, index: number): void {
  mesh.setMatrixAt(index, matrix.makeScale(0, 0, 0));
}

/** Position and orientation of an instance, without its scale. */
export function drawnInstance(mesh: InstancedMesh, index: number): { p: Point; q: Turn } {
  mesh.getMatrixAt(index, matrix);
  matrix.decompose(position, quaternion, scaling);
  return { p: [position.x, position.y, position.z], q: [quaternion.w, quaternion.x, quaternion.y, quaternion.z] };
}
