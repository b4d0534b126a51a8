/** Markers of the model as small triads: x red, y green, z blue, with different lengths for colour-blind readers. */

import {
  BufferAttribute,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  MeshBasicMaterial,
  type BufferGeometry,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { SceneData, Tripod } from '../data/contract.ts';
import { multiply } from '../math/pose.ts';
import type { Bounds } from './bounds.ts';
import { LAYER, layered } from './flat.ts';
import { setInstance } from './instances.ts';
import type { Frame, Layer } from './layer.ts';

function axis(length: number, rgb: [number, number, number]): BufferGeometry {
  const bar = new CylinderGeometry(0.06, 0.06, length, 8).translate(0, length / 2, 0).toNonIndexed();
  const colours = new Float32Array(bar.getAttribute('position').count * 3);
  for (let k = 0; k < colours.length; k += 1) colours[k] = rgb[k % 3];
  bar.setAttribute('color', new BufferAttribute(colours, 3));
  return bar;
}

export class Markers implements Layer {
  readonly object = new Group();
  readonly count: number;
  private readonly tripods: { figure: number; tripod: Tripod }[];
  private readonly mesh: InstancedMesh;

  constructor(scene: SceneData, bounds: Bounds) {
    this.tripods = scene.figures.flatMap((figure, index) =>
      figure.markers.map((tripod) => ({ figure: index, tripod })),
    );
    this.count = this.tripods.length;
    const geometry = mergeGeometries([
      axis(1.3, [0.75, 0.14, 0.05]).rotateZ(-Math.PI / 2),
      axis(1, [0.0, 0.45, 0.25]),
      axis(1, [0.03, 0.22, 0.62]).rotateX(Math.PI / 2),
    ]);
    const material = new MeshBasicMaterial({ vertexColors: true });
    layered(material, LAYER.marker);
    this.mesh = new InstancedMesh(geometry, material, Math.max(1, this.count));
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => undefined;
    this.mesh.count = this.count;
    this.object.add(this.mesh);
    this.unit = 0.06 * bounds.size;
  }

  private readonly unit: number;

  update(frame: Frame): void {
    this.object.visible = frame.state.shown.markers && this.count > 0;
    if (!this.object.visible) return;
    this.tripods.forEach(({ figure, tripod }, index) => {
      const turn = multiply(frame.poses.turn(figure), tripod.q);
      setInstance(this.mesh, index, frame.poses.place(figure, tripod.p), turn, [this.unit, this.unit, this.unit]);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  recolour(): void {
    // The axes have the same colours in both themes.
  }
}
