/** All beams as one deforming surface: one draw call, vertices rewritten when the time changes. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshLambertMaterial,
  type Intersection,
  type Raycaster,
} from 'three';
import type { Point, SceneData, Turn } from '../data/contract.ts';
import { multiply } from '../math/pose.ts';
import { fillTube, outlineRing, ringCount, STATIONS, tubeTriangles, vertexCount, type Skin } from '../math/tube.ts';
import type { Palette } from '../state/palette.ts';
import { LAYER, layered } from './flat.ts';
import type { Frame, Layer } from './layer.ts';
import { skinOutline } from './outline.ts';

interface Tube {
  name: string;
  nodes: number[];
  turns: Turn[];
  section: SceneData['beams'][number]['section'];
  first: number;
  count: number;
}

export class Beams implements Layer {
  readonly object = new Group();
  private readonly tubes: Tube[] = [];
  private readonly skin: Skin;
  private readonly mesh: Mesh<BufferGeometry, MeshLambertMaterial>;
  private readonly colours: BufferAttribute;
  private palette: Palette | null = null;
  private marked = '';
  private readonly edgeColour = { value: new Color() };

  constructor(
    scene: SceneData,
    private readonly style: 'solid' | 'ghost',
  ) {
    let vertices = 0;
    const triangles: number[] = [];
    for (const beam of scene.beams) {
      if (beam.nodes.length < 2) continue;
      const count = vertexCount(beam.nodes.length, beam.section);
      const turns = beam.nodes.map((_, k) => beam.q[k] ?? [1, 0, 0, 0]);
      this.tubes.push({ name: beam.name, nodes: beam.nodes, turns, section: beam.section, first: vertices, count });
      for (const index of tubeTriangles(beam.nodes.length, beam.section, vertices)) triangles.push(index);
      vertices += count;
    }
    this.skin = { positions: new Float32Array(vertices * 3), normals: new Float32Array(vertices * 3) };
    this.colours = new BufferAttribute(new Float32Array(vertices * 3), 3);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(this.skin.positions, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('normal', new BufferAttribute(this.skin.normals, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute('color', this.colours);
    geometry.setIndex(triangles);
    const ghost = style === 'ghost';
    const material = new MeshLambertMaterial({ vertexColors: true, transparent: ghost, opacity: ghost ? 0.38 : 1 });
    layered(material, ghost ? LAYER.ghost : LAYER.beam);
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = this.tubes.length > 0;
    this.object.add(this.mesh);
    if (this.tubes.length > 0 && !ghost) {
      const edge = new Mesh(geometry, skinOutline(this.edgeColour, ghost ? LAYER.ghost : LAYER.beam));
      edge.frustumCulled = false;
      this.object.add(edge);
    }
  }

  update(frame: Frame): void {
    this.object.visible = frame.state.shown.beams && (this.style === 'solid' || frame.state.shown.ghost);
    if (!this.object.visible || this.tubes.length === 0) return;
    for (const tube of this.tubes) {
      const points = tube.nodes.map((node) => frame.poses.position(node) as Point);
      const turns = tube.nodes.map((node, k) => multiply(frame.poses.turn(node), tube.turns[k]));
      fillTube(points, turns, tube.section, this.skin, tube.first);
    }
    this.mesh.geometry.getAttribute('position').needsUpdate = true;
    this.mesh.geometry.getAttribute('normal').needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
  }

  recolour(palette: Palette): void {
    this.palette = palette;
    this.edgeColour.value.set(this.style === 'ghost' ? palette.ghost : palette.edge);
    this.paint();
  }

  emphasise(name: string | null): void {
    if ((name ?? '') === this.marked) return;
    this.marked = name ?? '';
    this.paint();
  }

  private paint(): void {
    const palette = this.palette;
    if (!palette) return;
    this.tubes.forEach((tube, k) => {
      const own = tube.name === this.marked ? palette.accent : palette.bodies[k % palette.bodies.length];
      const colour = new Color(this.style === 'ghost' ? palette.ghost : own);
      for (let j = tube.first; j < tube.first + tube.count; j += 1)
        this.colours.setXYZ(j, colour.r, colour.g, colour.b);
    });
    this.colours.needsUpdate = true;
  }

  hits(raycaster: Raycaster): { name: string; distance: number }[] {
    if (!this.object.visible || this.tubes.length === 0) return [];
    const hits: Intersection[] = [];
    this.mesh.raycast(raycaster, hits);
    return hits.flatMap((hit) => {
      const vertex = hit.face?.a ?? -1;
      const tube = this.tubes.find(({ first, count }) => vertex >= first && vertex < first + count);
      return tube ? [{ name: tube.name, distance: hit.distance }] : [];
    });
  }

  middleNode(name: string): number | null {
    const tube = this.tubes.find((other) => other.name === name);
    return tube ? tube.nodes[Math.floor(tube.nodes.length / 2)] : null;
  }

  /** Position of a node in the surface: the centre of its ring, from opposite corners. */
  drawn(node: number): Point | null {
    for (const tube of this.tubes) {
      const k = tube.nodes.indexOf(node);
      if (k < 0) continue;
      const ring = outlineRing(tube.section);
      const around = tube.section.type === 'circle' ? ring.length - 1 : ring.length;
      const start = tube.first + Math.min(k * STATIONS, ringCount(tube.nodes.length) - 1) * ring.length;
      const sum: Point = [0, 0, 0];
      for (let j = 0; j < around; j += 1)
        for (let axis = 0; axis < 3; axis += 1) sum[axis] += this.skin.positions[(start + j) * 3 + axis] / around;
      return sum;
    }
    return null;
  }
}
