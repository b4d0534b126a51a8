/** Joint symbols with their axes: one draw call per kind. Guides extend over the travel of their sliders. */

import { Color, DoubleSide, DynamicDrawUsage, Group, InstancedMesh, MeshLambertMaterial } from 'three';
import type { Glyph, JointFigure, Point, SceneData, Turn } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { multiply, Poses, rotate } from '../math/pose.ts';
import type { Palette } from '../state/palette.ts';
import { Bars } from './bars.ts';
import type { Bounds } from './bounds.ts';
import { LAYER, layered } from './flat.ts';
import { glyphGeometry, supportGeometry } from './glyphs.ts';
import { setInstance } from './instances.ts';
import type { Frame, Layer } from './layer.ts';

interface Signs {
  mesh: InstancedMesh;
  joints: number[];
}

/** Mixes the dark and light palette colours by the tone of a vertex; an instance colour replaces the dark one. */
function signMaterial(tones: { dark: { value: Color }; light: { value: Color } }, layer: number): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ side: DoubleSide });
  layered(material, layer, 5, {
    name: 'sign',
    change: (shader) => {
      shader.uniforms.darkTone = tones.dark;
      shader.uniforms.lightTone = tones.light;
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nattribute float tone; varying float vTone;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvTone = tone;');
      shader.fragmentShader = shader.fragmentShader
        .replace(
          '#include <common>',
          '#include <common>\nuniform vec3 darkTone; uniform vec3 lightTone; varying float vTone;',
        )
        .replace(
          '#include <color_fragment>',
          '#include <color_fragment>\n' +
            'float marked = step(0.01, 1.0 - min(min(diffuseColor.r, diffuseColor.g), diffuseColor.b));\n' +
            'diffuseColor.rgb = mix(mix(darkTone, diffuseColor.rgb, marked), lightTone, vTone);',
        );
    },
  });
  return material;
}

export class Joints implements Layer {
  readonly object = new Group();
  readonly places: Point[];
  private readonly signs: Signs[] = [];
  private readonly supports: Signs | null = null;
  private readonly guides: Bars;
  private readonly travel = new Map<number, [number, number]>();
  private readonly tones = { dark: { value: new Color() }, light: { value: new Color() } };
  private readonly standTones = { dark: { value: new Color() }, light: { value: new Color() } };
  private readonly joints: JointFigure[];
  private readonly unit: number;
  private palette: Palette | null = null;

  constructor(run: Run, scene: SceneData, bounds: Bounds) {
    this.joints = scene.joints;
    this.unit = (scene.joints.length > 60 ? 0.012 : 0.02) * bounds.size;
    this.places = scene.joints.map(() => [0, 0, 0]);
    const byGlyph = new Map<Glyph, number[]>();
    this.joints.forEach((joint, k) => {
      if (joint.spots.length === 0) return;
      byGlyph.set(joint.glyph, [...(byGlyph.get(joint.glyph) ?? []), k]);
    });
    for (const [glyph, joints] of byGlyph)
      this.signs.push(this.addSigns(glyphGeometry(glyph), joints, LAYER.joint, this.tones));
    if (scene.space === 'planar') {
      const grounded = this.joints.flatMap((joint, k) =>
        joint.glyph === 'revolute' && joint.spots.some(({ figure }) => figure === 0) ? [k] : [],
      );
      if (grounded.length > 0)
        this.supports = this.addSigns(supportGeometry(), grounded, LAYER.ghost - 0.05, this.standTones);
    }
    this.guides = new Bars(this.joints.length, LAYER.bodiesFar + 0.05);
    this.object.add(this.guides.mesh);
    this.measureTravel(run);
  }

  private addSigns(
    geometry: ReturnType<typeof glyphGeometry>,
    joints: number[],
    layer: number,
    tones: typeof this.tones,
  ): Signs {
    const mesh = new InstancedMesh(geometry, signMaterial(tones, layer), joints.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    this.object.add(mesh);
    return { mesh, joints };
  }

  /** Range of travel of each slider over the film. */
  private measureTravel(run: Run): void {
    const poses = new Poses(run.figureCount);
    const looks = Math.min(60, run.filmTimes.length);
    const sliders = this.joints.flatMap((joint, k) =>
      joint.glyph.startsWith('prismatic') && joint.spots.length > 1 ? [k] : [],
    );
    if (sliders.length === 0) return;
    for (let look = 0; look < looks; look += 1) {
      run.posesAt(run.filmTimes[Math.floor((look * (run.filmTimes.length - 1)) / Math.max(1, looks - 1))], poses.data);
      for (const k of sliders) {
        const { axis, origin } = this.guide(k, poses);
        const last = this.joints[k].spots[this.joints[k].spots.length - 1];
        const at = poses.place(last.figure, last.p);
        const s = [0, 1, 2].reduce((sum, j) => sum + (at[j] - origin[j]) * axis[j], 0);
        const known = this.travel.get(k) ?? [s, s];
        if (Number.isFinite(s)) this.travel.set(k, [Math.min(known[0], s), Math.max(known[1], s)]);
      }
    }
  }

  private guide(k: number, poses: Poses): { axis: Point; origin: Point } {
    const joint = this.joints[k];
    const spot = joint.spots[0];
    const turn = multiply(poses.turn(spot.figure), spot.q);
    return {
      axis: rotate(turn, joint.glyph === 'prismatic_x' ? [1, 0, 0] : [0, 0, 1]),
      origin: poses.place(spot.figure, spot.p),
    };
  }

  update(frame: Frame): void {
    this.object.visible = frame.state.shown.joints;
    const palette = this.palette;
    if (!this.object.visible || !palette) return;
    const u = this.unit;
    const colour = new Color();
    for (const { mesh, joints } of this.signs) {
      joints.forEach((k, index) => {
        const joint = this.joints[k];
        const first = joint.spots[0];
        // The symbol of a slider moves with the sliding body; its axes are those of the guide.
        const seat = joint.glyph.startsWith('prismatic') ? joint.spots[joint.spots.length - 1] : first;
        const at = frame.poses.place(seat.figure, seat.p, this.places[k]);
        const turn: Turn = multiply(frame.poses.turn(first.figure), first.q);
        const marked = frame.state.picked?.name === joint.name || frame.state.hovered?.name === joint.name;
        const scale = marked ? 1.25 * u : u;
        setInstance(mesh, index, at, turn, [scale, scale, scale]);
        mesh.setColorAt(index, colour.set(marked ? palette.accent : '#ffffff'));
      });
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.supports?.joints.forEach((k, index) => {
      const spot = this.joints[k].spots.find(({ figure }) => figure === 0) ?? this.joints[k].spots[0];
      setInstance(
        (this.supports as Signs).mesh,
        index,
        frame.poses.place(spot.figure, spot.p),
        [1, 0, 0, 0],
        [u, u, u],
      );
    });
    if (this.supports) this.supports.mesh.instanceMatrix.needsUpdate = true;
    this.guides.begin();
    for (const [k, [least, most]] of this.travel) {
      const { axis, origin } = this.guide(k, frame.poses);
      const end = (s: number): Point => [origin[0] + axis[0] * s, origin[1] + axis[1] * s, origin[2] + axis[2] * s];
      this.guides.add(end(least - 3 * u), end(most + 3 * u), 0.3 * u, palette.muted);
    }
    this.guides.end();
  }

  recolour(palette: Palette): void {
    this.palette = palette;
    this.tones.dark.value.set(palette.joint);
    this.tones.light.value.set(palette.jointLight);
    this.standTones.dark.value.set(palette.muted);
    this.standTones.light.value.set(palette.ground);
  }

  names(): string[] {
    return this.joints.map(({ name }) => name);
  }
}
