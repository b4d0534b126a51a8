/** Planar samples: a four-bar linkage with its health, a bouncing ball with events, a pendulum with hostile names. */

import type { Figure, RunEvent, SceneData, Visual } from '../src/data/contract.ts';
import { aboutZ, even, ground, motionColumns, NONE, packed, type Plan, type Pose } from './build.ts';

const rod = (length: number, radius: number): Visual => ({
  form: { type: 'rod', from: [-length / 2, 0, 0], to: [length / 2, 0, 0], radius },
  p: [0, 0, 0],
  q: NONE,
  origin: 'default',
});

const body = (name: string, visuals: Visual[]): Figure => ({
  name,
  role: 'body',
  visuals,
  markers: [{ name: `${name}.end`, p: [0.05, 0, 0], q: NONE }],
  centre: [0, 0, 0],
});

const A = 0.2;
const B = 0.5;
const C = 0.4;
const D = 0.6;

/** Ends of crank and rocker at a crank angle. */
function corners(angle: number): { p: [number, number]; q: [number, number] } {
  const p: [number, number] = [A * Math.cos(angle), A * Math.sin(angle)];
  const dx = D - p[0];
  const dy = -p[1];
  const far = Math.hypot(dx, dy);
  const along = (B * B - C * C + far * far) / (2 * far);
  const side = Math.sqrt(B * B - along * along);
  return { p, q: [p[0] + (along * dx - side * dy) / far, p[1] + (along * dy + side * dx) / far] };
}

function link(from: [number, number], to: [number, number]): Pose {
  return {
    p: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 0],
    q: aboutZ(Math.atan2(to[1] - from[1], to[0] - from[0])),
  };
}

function fourBarPose(figure: number, angle: number): Pose {
  const { p, q } = corners(angle);
  if (figure === 1) return link([0, 0], p);
  if (figure === 2) return link(p, q);
  if (figure === 3) return link([D, 0], q);
  return { p: [0, 0, 0], q: NONE };
}

export function fourBarPlan(speed: number): Plan {
  const names = ['', 'crank', 'coupler', 'rocker'];
  const at = (figure: number, x: number) => ({ figure, p: [x, 0, 0] as [number, number, number], q: NONE });
  const scene: SceneData = {
    title: 'Crank-rocker four-bar linkage',
    space: 'planar',
    gravity: [0, -9.81, 0],
    figures: [ground, body('crank', [rod(A, 0.012)]), body('coupler', [rod(B, 0.01)]), body('rocker', [rod(C, 0.012)])],
    joints: [
      { name: 'main', glyph: 'revolute', kind: 'pin', spots: [at(0, 0), at(1, -A / 2)] },
      { name: 'elbow', glyph: 'revolute', kind: 'pin', spots: [at(1, A / 2), at(2, -B / 2)] },
      { name: 'wrist', glyph: 'revolute', kind: 'pin', spots: [at(2, B / 2), at(3, C / 2)] },
      { name: 'pivot', glyph: 'revolute', kind: 'pin', spots: [at(0, D), at(3, -C / 2)] },
    ],
    links: [{ name: 'return spring', line: 'spring_damper', spots: [at(0, -0.15), { ...at(2, 0), p: [0, 0.0, 0] }] }],
    beams: [],
    arrows: [
      ...['main', 'elbow', 'wrist', 'pivot'].map((name, k) => ({
        name,
        load: 'reaction' as const,
        spot: [at(1, -A / 2), at(2, -B / 2), at(3, C / 2), at(3, -C / 2)][k],
        vector: [`${name}.fx`, `${name}.fy`, ''] as [string, string, string],
        moment: k === 0 ? (['', '', 'main.mz'] as [string, string, string]) : undefined,
      })),
      ...[1, 2, 3].map((figure) => ({
        name: names[figure],
        load: 'velocity' as const,
        spot: at(figure, 0),
        vector: [`${names[figure]}.vx`, `${names[figure]}.vy`, ''] as [string, string, string],
      })),
    ],
  };
  const pose = (figure: number, t: number) => fourBarPose(figure, speed * t + 0.3);
  const force = (k: number, t: number) => 40 * Math.sin(speed * t + k) + 15 * Math.cos(2 * speed * t + 2 * k);
  const columns: Plan['columns'] = [1, 2, 3].flatMap((figure) => motionColumns(names[figure], (t) => pose(figure, t).p));
  scene.joints.forEach((joint, k) => {
    columns.push(
      { name: `${joint.name}.fx`, unit: 'N', meaning: 'reaction along x', element: joint.name, family: 'reaction', value: (t) => force(k, t) },
      { name: `${joint.name}.fy`, unit: 'N', meaning: 'reaction along y', element: joint.name, family: 'reaction', value: (t) => 25 + force(k + 1, t) },
    );
  });
  columns.push(
    { name: 'main.mz', unit: 'N m', meaning: 'driving moment', element: 'main', family: 'reaction', value: (t) => 3 * Math.sin(speed * t) + 1 },
    { name: 'energy.kinetic', unit: 'J', meaning: 'kinetic energy', element: null, family: 'energy', value: (t) => 3 + Math.sin(2 * speed * t) },
    { name: 'energy.potential', unit: 'J', meaning: 'potential energy', element: null, family: 'energy', value: (t) => 2 - Math.sin(2 * speed * t) },
    { name: 'energy.balance', unit: 'J', meaning: 'what the balance misses', element: null, family: 'energy', value: (t) => 1e-7 * Math.sin(9 * t) * t },
    { name: 'residual.position', unit: 'm', meaning: 'largest residual of position', element: null, family: 'health', value: (t) => 1e-13 * (1.5 + Math.sin(40 * t)) },
    { name: 'residual.velocity', unit: 'm/s', meaning: 'largest residual of velocity', element: null, family: 'health', value: (t) => 1e-12 * (1.5 + Math.sin(30 * t)) },
    { name: 'residual.acceleration', unit: 'm/s²', meaning: 'largest residual of acceleration', element: null, family: 'health', value: (t) => 1e-10 * (1.5 + Math.sin(20 * t)) },
    { name: 'step', unit: 's', meaning: 'step size', element: null, family: 'health', value: (t) => 2e-3 * (1.2 + Math.sin(6 * t)) },
    { name: 'rank', unit: '1', meaning: 'rank of the constraints', element: null, family: 'health', value: (t) => (t > 1.9 && t < 1.95 ? 7 : 8) },
    { name: 'freedoms', unit: '1', meaning: 'freedoms', element: null, family: 'health', value: (t) => (t > 1.9 && t < 1.95 ? 2 : 1) },
  );
  return {
    scene,
    instants: even(4, 2001),
    pose,
    columns,
    health: {
      kinetic: 'energy.kinetic',
      potential: 'energy.potential',
      balance: 'energy.balance',
      position: 'residual.position',
      velocity: 'residual.velocity',
      acceleration: 'residual.acceleration',
      step: 'step',
      rank: 'rank',
      freedoms: 'freedoms',
      trouble: { t: 1.9, element: 'wrist', message: 'the rank of the constraints falls: a singular pose' },
    },
    summary: { warnings: [{ t: 1.9, message: 'rank fell from 8 to 7 at wrist' }] },
    extremes: scene.joints.map((joint, k) => ({
      name: joint.name,
      kind: 'reaction',
      quantity: 'force',
      unit: 'N',
      least: 3.2 + k,
      least_at: 0.4 * (k + 1),
      largest: 61.5 - k * 7,
      largest_at: 0.7 * (k + 1),
    })),
    modes: [
      {
        label: 'swing of the coupler',
        frequency: 3.2,
        damping: 0.02,
        kind: 'swings',
        growth: -0.4,
        shapes: [1, 2, 3].map((figure) => ({
          figure,
          translation: [[0.01 * figure, 0], [0.03, 0.01], [0, 0]],
          rotation: [[0, 0], [0, 0], [0.2 * figure, 0]],
        })),
      },
      {
        label: 'free turn of the crank',
        frequency: 0,
        damping: null,
        kind: 'free',
        growth: 0,
        shapes: [{ figure: 1, translation: [[0, 0], [0.1, 0], [0, 0]], rotation: [[0, 0], [0, 0], [1, 0]] }],
      },
    ],
  };
}

export const fourBar = (): Uint8Array => packed(fourBarPlan(2 * Math.PI));
export const fourBarSlower = (): Uint8Array => packed(fourBarPlan(2 * Math.PI * 0.97));

/** Falls from 1 m, bounces by 0.75 until it rests on a line. */
export function ball(): Uint8Array {
  const g = 9.81;
  const radius = 0.1;
  const bounces: { t: number; v: number }[] = [{ t: -Math.sqrt(2 / g) + Math.sqrt(2 / g), v: 0 }];
  let when = Math.sqrt(2 / g);
  let speed = Math.sqrt(2 * g);
  const events: RunEvent[] = [];
  for (let k = 0; k < 9; k += 1) {
    const after = 0.75 * speed;
    events.push({ t: when, name: 'floor', what: 'impact', impulse: speed + after, lost: (speed * speed - after * after) / 2 });
    bounces.push({ t: when, v: after });
    when += (2 * after) / g;
    speed = after;
  }
  events.push({ t: when, name: 'floor', what: 'stick', impulse: null, lost: null });
  const height = (t: number): number => {
    if (t >= when) return 0;
    let last = bounces[0];
    for (const bounce of bounces) if (bounce.t <= t) last = bounce;
    const s = t - last.t;
    return Math.max(0, (last === bounces[0] ? 1 : 0) + last.v * s - (g * s * s) / 2);
  };
  const place = (t: number): [number, number, number] => [0.25 * Math.min(t, when), radius + height(t), 0];
  const scene: SceneData = {
    title: 'Bouncing ball that comes to rest',
    space: 'planar',
    gravity: [0, -g, 0],
    figures: [
      { ...ground, visuals: [{ form: { type: 'half_plane' }, p: [0, 0, 0], q: NONE, origin: 'contact' }] },
      body('ball', [{ form: { type: 'sphere', radius }, p: [0, 0, 0], q: NONE, origin: 'contact' }]),
      body('wedge', [{ form: { type: 'polygon', points: [[-0.2, 0], [0.2, 0], [0.2, 0.25]] }, p: [0, 0, 0], q: NONE, origin: 'given', colour: '#8a6d3b' }]),
    ],
    joints: [{ name: 'wedge fixed', glyph: 'fixed', kind: 'fixed', spots: [{ figure: 0, p: [1.6, 0, 0], q: NONE }, { figure: 2, p: [0, 0, 0], q: NONE }] }],
    links: [
      { name: 'leash', line: 'rope', spots: [{ figure: 0, p: [0.6, 1.2, 0], q: NONE }, { figure: 1, p: [0, 0, 0], q: NONE }], length: 1.5 },
      { name: 'apart', line: 'separator', spots: [{ figure: 2, p: [0, 0.1, 0], q: NONE }, { figure: 1, p: [0, 0, 0], q: NONE }] },
    ],
    beams: [],
    arrows: [
      { name: 'floor', load: 'contact', spot: { figure: 1, p: [0, -radius, 0], q: NONE }, at: ['floor.x', 'floor.y', ''], vector: ['floor.fx', 'floor.fy', ''] },
      { name: 'ball', load: 'velocity', spot: { figure: 1, p: [0, 0, 0], q: NONE }, vector: ['ball.vx', 'ball.vy', ''] },
    ],
  };
  const instants = even(4, 1601).concat(events.map((event) => event.t)).sort((a, b) => a - b).filter((t) => t <= 4);
  return packed({
    scene,
    instants,
    pose: (figure, t) => {
      if (figure === 1) return { p: place(t), q: aboutZ(-2.5 * Math.min(t, when)) };
      return { p: figure === 2 ? [1.6, 0, 0] : [0, 0, 0], q: NONE };
    },
    columns: [
      ...motionColumns('ball', place),
      { name: 'floor.x', unit: 'm', meaning: 'point of contact', element: 'floor', family: 'contact', value: (t) => place(t)[0] },
      { name: 'floor.y', unit: 'm', meaning: 'point of contact', element: 'floor', family: 'contact', value: () => 0 },
      { name: 'floor.fx', unit: 'N', meaning: 'friction', element: 'floor', family: 'contact', value: (t) => (t >= when ? -1.2 : 0) },
      { name: 'floor.fy', unit: 'N', meaning: 'normal force', element: 'floor', family: 'contact', value: (t) => (t >= when ? g : 0) },
    ],
    events: events.filter((event) => event.t <= 4),
  });
}

/** A pendulum whose names try to be markup, to be very long and to run the other way. */
export function hostile(): Uint8Array {
  const names = ['<script>window.hurt=1</script>', `"quoted' & <img src=x onerror=alert(1)>`, 'long-'.repeat(2000), 'גוף שמאלי \u202eabc'];
  const swing = (k: number, t: number) => 0.8 * Math.cos(2 * t + k);
  const scene: SceneData = {
    title: '</title><script>window.hurt=2</script> pendulums',
    space: 'planar',
    gravity: [0, -9.81, 0],
    figures: [ground, ...names.map((name) => body(name, [rod(0.4, 0.015)]))],
    joints: names.map((name, k) => ({
      name: `hinge of ${name}`,
      glyph: 'revolute',
      kind: 'pin',
      spots: [{ figure: 0, p: [0.5 * k, 0, 0], q: NONE }, { figure: k + 1, p: [-0.2, 0, 0], q: NONE }],
    })),
    links: [],
    beams: [],
    arrows: names.map((name, k) => ({
      name: `hinge of ${name}`,
      load: 'reaction',
      spot: { figure: k + 1, p: [-0.2, 0, 0], q: NONE },
      vector: [`hinge of ${name}.fx`, '', ''],
    })),
  };
  const place = (k: number, t: number): [number, number, number] => {
    const angle = swing(k, t) - Math.PI / 2;
    return [0.5 * k + 0.2 * Math.cos(angle), 0.2 * Math.sin(angle), 0];
  };
  return packed({
    scene,
    instants: even(3, 301),
    pose: (figure, t) =>
      figure === 0 ? { p: [0, 0, 0], q: NONE } : { p: place(figure - 1, t), q: aboutZ(swing(figure - 1, t) - Math.PI / 2) },
    columns: [
      ...names.flatMap((name, k) => motionColumns(name, (t) => place(k, t))),
      ...names.map((name, k) => ({
        name: `hinge of ${name}.fx`,
        unit: 'N',
        meaning: '<b>reaction</b>',
        element: `hinge of ${name}`,
        family: 'reaction',
        value: (t: number) => 5 * Math.sin(3 * t + k),
      })),
    ],
    events: names.map((name, k) => ({ t: 0.5 * (k + 1), name, what: k % 2 ? 'slip' : '<i>taut</i>', impulse: null, lost: null })),
    summary: { model: '<script>window.hurt=3</script>\n# \u202e model', message: '<b>nothing</b>', warnings: [{ t: 1, message: '<script>window.hurt=4</script>' }] },
    extremes: names.map((name) => ({ name: `hinge of ${name}`, kind: 'reaction', quantity: 'force', unit: 'N', least: 0, least_at: 0, largest: 5, largest_at: 1 })),
  });
}
