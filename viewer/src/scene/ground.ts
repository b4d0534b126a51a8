/** The reference grid, and the half-spaces and half-planes of the model. */

import {
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  BufferGeometry,
  BufferAttribute,
  Mesh,
  MeshLambertMaterial,
  PlaneGeometry,
  Quaternion,
  RingGeometry,
  ShaderMaterial,
  Vector3,
} from 'three';
import type { SceneData, Visual } from '../data/contract.ts';
import { multiply } from '../math/pose.ts';
import { niceBelow } from '../math/format.ts';
import type { Palette } from '../state/palette.ts';
import type { Bounds } from './bounds.ts';
import { flatness, FLAT_HEAD, flatTail, LAYER, layered, slot } from './flat.ts';
import type { Frame, Layer } from './layer.ts';

interface Face {
  figure: number;
  visual: Visual;
  object: Group;
}

export class Ground implements Layer {
  readonly object = new Group();
  /** Width of a cell, m. */
  cell: number;
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly faces: Face[] = [];
  private readonly plate = new MeshLambertMaterial({
    side: DoubleSide,
    transparent: true,
    opacity: 0.55,
    depthWrite: false,
  });
  private readonly fading = new MeshLambertMaterial({
    side: DoubleSide,
    transparent: true,
    vertexColors: true,
    depthWrite: false,
  });
  private readonly hatch = new LineBasicMaterial({ transparent: true, opacity: 0.8 });

  constructor(
    scene: SceneData,
    private readonly bounds: Bounds,
    up: Vector3,
  ) {
    this.cell = niceBelow(bounds.radius / 2.5);
    this.grid = new Mesh(new PlaneGeometry(1, 1), gridMaterial());
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -2;
    const reach = 14 * bounds.radius;
    this.grid.scale.set(reach * 2, reach * 2, 1);
    const planar = scene.space === 'planar';
    const normal = planar ? new Vector3(0, 0, 1) : up;
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    const centre = bounds.centre.clone();
    const lowest = Math.min(bounds.box.min.dot(up), bounds.box.max.dot(up));
    const hasFloor = scene.figures[0]?.visuals.some((visual) => visual.form.type === 'half_space') ?? false;
    const level =
      planar || hasFloor || (lowest > -1e-6 && lowest < 1.5 * bounds.radius) ? 0 : lowest - 0.05 * bounds.radius;
    this.grid.position.copy(centre).addScaledVector(normal, level - centre.dot(normal));
    if (planar) this.grid.position.z = -0.001 * bounds.radius;
    this.grid.material.uniforms.cell.value = this.cell;
    this.grid.material.uniforms.middle.value.copy(centre);
    this.grid.material.uniforms.reach.value = (planar ? 14 : 5) * bounds.radius;
    this.object.add(this.grid);
    layered(this.plate, LAYER.ground);
    layered(this.hatch, LAYER.ground - 0.02);
    scene.figures.forEach((figure, index) => {
      for (const visual of figure.visuals) {
        if (visual.form.type !== 'half_space' && visual.form.type !== 'half_plane') continue;
        const object = visual.form.type === 'half_plane' ? this.hatchedLine() : this.plateFace();
        this.faces.push({ figure: index, visual, object });
        this.object.add(object);
      }
    });
  }

  private hatchedLine(): Group {
    const reach = 6 * this.bounds.radius;
    const depth = 0.035 * this.bounds.radius;
    const points: number[] = [];
    for (let x = -reach; x < reach; x += depth * 1.1) points.push(x, 0, 0, x - depth, -depth, 0);
    points.push(-reach, 0, 0, reach, 0, 0);
    const lines = new BufferGeometry();
    lines.setAttribute('position', new BufferAttribute(Float32Array.from(points), 3));
    const group = new Group();
    const below = new Mesh(new PlaneGeometry(2 * reach, reach).translate(0, -reach / 2, 0), this.plate);
    below.renderOrder = -1;
    group.add(below, new LineSegments(lines, this.hatch));
    return group;
  }

  private plateFace(): Group {
    const group = new Group();
    const face = new Mesh(fadingDisc(4.2 * this.bounds.radius), this.fading);
    face.renderOrder = -1;
    group.add(face);
    return group;
  }

  update(frame: Frame): void {
    this.grid.visible = frame.state.shown.grid;
    for (const { figure, visual, object } of this.faces) {
      const at = frame.poses.place(figure, visual.p);
      const q = multiply(frame.poses.turn(figure), visual.q);
      object.position.set(...at);
      object.quaternion.copy(new Quaternion(q[1], q[2], q[3], q[0]));
      // The surface is unbounded; the drawn part stays below the model.
      const along = this.bounds.centre.clone().sub(object.position).applyQuaternion(object.quaternion.clone().invert());
      const shift = visual.form.type === 'half_plane' ? new Vector3(along.x, 0, 0) : new Vector3(along.x, along.y, 0);
      object.position.add(shift.applyQuaternion(object.quaternion));
    }
  }

  recolour(palette: Palette): void {
    this.grid.material.uniforms.colour.value = new Color(palette.grid);
    this.plate.color = new Color(palette.ground);
    this.fading.color = new Color(palette.ground);
    this.hatch.color = new Color(palette.muted);
  }
}

/** A disc that fades out towards its edge, because a half-space is unbounded. */
function fadingDisc(radius: number): RingGeometry {
  const disc = new RingGeometry(0, radius, 64, 8);
  const position = disc.getAttribute('position');
  const colours = new Float32Array(position.count * 4).fill(1);
  for (let k = 0; k < position.count; k += 1) {
    const s = Math.hypot(position.getX(k), position.getY(k)) / radius;
    colours[k * 4 + 3] = 0.6 * (1 - s) * (1 - s) * (1 + 2 * s);
  }
  disc.setAttribute('color', new BufferAttribute(colours, 4));
  return disc;
}

/** Lines one pixel wide at every size, every fifth stronger, fading with distance. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      flatness,
      slotDepth: { value: slot(4) },
      cell: { value: 1 },
      reach: { value: 10 },
      middle: { value: new Vector3() },
      colour: { value: new Color() },
    },
    vertexShader: `
      varying vec3 world;
      varying vec2 local;
      ${FLAT_HEAD}
      void main() {
        vec4 at = modelMatrix * vec4(position, 1.0);
        world = at.xyz;
        vec3 ex = normalize(modelMatrix[0].xyz);
        vec3 ey = normalize(modelMatrix[1].xyz);
        local = vec2(dot(world, ex), dot(world, ey));
        gl_Position = projectionMatrix * viewMatrix * at;
        ${flatTail('0.98')}
      }`,
    fragmentShader: `
      uniform float cell; uniform float reach; uniform vec3 middle; uniform vec3 colour;
      varying vec3 world; varying vec2 local;
      float lines(vec2 at, float step) {
        vec2 scaled = at / step;
        vec2 width = fwidth(scaled);
        vec2 near = abs(fract(scaled - 0.5) - 0.5) / max(width, vec2(1e-6));
        float strength = 1.0 - min(min(near.x, near.y), 1.0);
        return strength * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
      }
      void main() {
        float fade = 1.0 - smoothstep(0.35, 1.0, distance(world, middle) / reach);
        float strength = max(lines(local, cell) * 0.45, lines(local, cell * 5.0) * 0.9);
        gl_FragColor = vec4(colour, strength * fade);
        #include <colorspace_fragment>
      }`,
  });
}
