/** All bodies, grouped by unit geometry: two draw calls per geometry (fill and edge), for any number of bodies. */

import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
  type BufferGeometry,
  type Intersection,
  type Raycaster,
} from 'three';
import type { Point, SceneData, Turn } from '../data/contract.ts';
import { multiply } from '../math/pose.ts';
import type { Palette } from '../state/palette.ts';
import { bodyLayer, LAYER, layered } from './flat.ts';
import { partsOf, type Part } from './forms.ts';
import { drawnInstance, setInstance } from './instances.ts';
import type { Frame, Layer } from './layer.ts';
import { outlineMaterial } from './outline.ts';

interface Member {
  figure: number;
  part: Part;
  colour: string | undefined;
}

interface Crowd {
  mesh: InstancedMesh;
  edge: InstancedMesh;
  edges: InstancedBufferAttribute;
  members: Member[];
}

/** Number of bodies of a form above which round shapes are tessellated more coarsely and edges drawn thinner. */
const MANY = 150;
const HEX = /^#[0-9a-fA-F]{6}$/;

export class Bodies implements Layer {
  readonly object = new Group();
  private readonly crowds: Crowd[] = [];
  private readonly firstOf = new Map<number, { crowd: Crowd; index: number }>();
  private readonly q: Turn = [1, 0, 0, 0];
  private readonly p: Point = [0, 0, 0];
  private palette: Palette | null = null;
  private emphasis: { picked: number | null; hovered: number | null } = { picked: null, hovered: null };

  constructor(
    scene: SceneData,
    private readonly style: 'solid' | 'ghost',
  ) {
    const groups = new Map<string, Member[]>();
    let serial = 0;
    scene.figures.forEach((figure, index) => {
      for (const visual of figure.visuals) {
        serial += 1;
        const colour = visual.colour !== undefined && HEX.test(visual.colour) ? visual.colour : undefined;
        for (const part of partsOf(visual.form, visual.p, visual.q, scene.space, serial)) {
          const member = { figure: index, part, colour };
          const known = groups.get(part.key);
          if (known) known.push(member);
          else groups.set(part.key, [member]);
        }
      }
    });
    const count = scene.figures.length;
    for (const members of groups.values()) this.addCrowd(members, count);
    for (const crowd of this.crowds) {
      crowd.members.forEach((member, index) => {
        if (!this.firstOf.has(member.figure)) this.firstOf.set(member.figure, { crowd, index });
      });
    }
  }

  private addCrowd(members: Member[], count: number): void {
    const ghost = this.style === 'ghost';
    const geometry: BufferGeometry = members[0].part.make(members.length > MANY ? 'coarse' : 'fine');
    const layers = members.map((member) => (ghost ? LAYER.ghost : bodyLayer(member.figure, count)));
    geometry.setAttribute('layer', new InstancedBufferAttribute(Float32Array.from(layers), 1));
    const edges = new InstancedBufferAttribute(new Float32Array(members.length * 4), 4);
    geometry.setAttribute('edge', edges);
    const material = new MeshLambertMaterial({ vertexColors: true, transparent: ghost, opacity: ghost ? 0.38 : 1 });
    layered(material, 'instance', count);
    const mesh = new InstancedMesh(geometry, material, members.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    const edge = new InstancedMesh(geometry, outlineMaterial(count), members.length);
    edge.instanceMatrix = mesh.instanceMatrix;
    edge.frustumCulled = false;
    edge.raycast = () => undefined;
    // The compared run has no edges, because it is transparent.
    edge.visible = !ghost;
    this.object.add(mesh, edge);
    this.crowds.push({ mesh, edge, edges, members });
  }

  update(frame: Frame): void {
    this.object.visible = this.style === 'ghost' ? frame.state.shown.ghost : frame.state.shown.bodies;
    if (!this.object.visible) return;
    for (const { mesh, members } of this.crowds) {
      members.forEach(({ figure, part }, index) => {
        frame.poses.place(figure, part.p, this.p);
        const turn = frame.poses.turn(figure, this.q);
        setInstance(mesh, index, this.p, multiply(turn, part.q, turn), part.scale);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  recolour(palette: Palette): void {
    this.palette = palette;
    const colour = new Color();
    for (const { mesh, members } of this.crowds) {
      members.forEach((member, index) => {
        const own = member.figure === 0 ? palette.ground : palette.bodies[(member.figure - 1) % palette.bodies.length];
        mesh.setColorAt(index, colour.set(this.style === 'ghost' ? palette.ghost : (member.colour ?? own)));
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.paintEdges();
  }

  /** Highlights the edges of the selected and the hovered figure. */
  emphasise(picked: number | null, hovered: number | null): void {
    if (picked === this.emphasis.picked && hovered === this.emphasis.hovered) return;
    this.emphasis = { picked, hovered };
    this.paintEdges();
  }

  private paintEdges(): void {
    const palette = this.palette;
    if (!palette) return;
    const plain = new Color(this.style === 'ghost' ? palette.ghost : palette.edge);
    const accent = new Color(palette.accent);
    for (const { edges, members } of this.crowds) {
      members.forEach(({ figure }, index) => {
        const strong = figure === this.emphasis.picked;
        const marked = strong || figure === this.emphasis.hovered;
        const colour = marked ? accent : plain;
        edges.setXYZW(
          index,
          colour.r,
          colour.g,
          colour.b,
          strong ? 3 : marked ? 2.2 : members.length > MANY ? 0.7 : 1.1,
        );
      });
      edges.needsUpdate = true;
    }
  }

  hits(raycaster: Raycaster): { figure: number; distance: number }[] {
    if (!this.object.visible) return [];
    const found: { figure: number; distance: number }[] = [];
    for (const { mesh, members } of this.crowds) {
      const hits: Intersection[] = [];
      mesh.raycast(raycaster, hits);
      for (const hit of hits) {
        if (hit.instanceId !== undefined)
          found.push({ figure: members[hit.instanceId].figure, distance: hit.distance });
      }
    }
    return found;
  }

  /** The pose of a figure, recovered from the matrix with which its first shape is drawn. */
  drawn(figure: number): { p: Point; q: Turn } | null {
    const first = this.firstOf.get(figure);
    if (!first) return null;
    const { part } = first.crowd.members[first.index];
    const { p, q } = drawnInstance(first.crowd.mesh, first.index);
    const world = new Matrix4().compose(
      new Vector3(...p),
      new Quaternion(q[1], q[2], q[3], q[0]),
      new Vector3(1, 1, 1),
    );
    const local = new Matrix4().compose(
      new Vector3(...part.p),
      new Quaternion(part.q[1], part.q[2], part.q[3], part.q[0]),
      new Vector3(1, 1, 1),
    );
    world.multiply(local.invert());
    const at = new Vector3();
    const turn = new Quaternion();
    world.decompose(at, turn, new Vector3());
    return { p: [at.x, at.y, at.z], q: [turn.w, turn.x, turn.y, turn.z] };
  }
}
