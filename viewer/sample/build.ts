/** Puts a sample run together: poses and columns as functions of time, everything else with plain defaults. */

import type {
  Extreme,
  Figure,
  Header,
  Health,
  Mode,
  RunEvent,
  SceneData,
  Summary,
  Turn,
} from '../src/data/contract.ts';
import { Arrays, pack } from './pack.ts';

export type Pose = { p: [number, number, number]; q: Turn };

export interface Plan {
  scene: SceneData;
  instants: number[];
  /** Pose of a figure at an instant (figure 0 is the ground). */
  pose: (figure: number, t: number) => Pose;
  columns: {
    name: string;
    unit: string;
    meaning: string;
    element: string | null;
    family: string;
    value: (t: number) => number;
  }[];
  events?: RunEvent[];
  health?: Partial<Health>;
  summary?: Partial<Summary>;
  extremes?: Extreme[];
  modes?: Mode[];
}

export const ground: Figure = { name: 'ground', role: 'ground', visuals: [], markers: [], centre: [0, 0, 0] };
export const NONE: Turn = [1, 0, 0, 0];

export function aboutZ(angle: number): Turn {
  return [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
}

export function even(end: number, count: number): number[] {
  return Array.from({ length: count }, (_, k) => (end * k) / (count - 1));
}

const noHealth: Health = {
  balance: null,
  kinetic: null,
  potential: null,
  work: null,
  position: null,
  velocity: null,
  acceleration: null,
  step: null,
  rank: null,
  freedoms: null,
  trouble: null,
};

export function packed(plan: Plan): Uint8Array {
  const arrays = new Arrays();
  const t = arrays.instants(plan.instants);
  const tracks = plan.scene.figures.map((_, figure) => {
    const poses = plan.instants.map((instant) => plan.pose(figure, instant));
    const p = (k: number) => arrays.component(poses.map((pose) => pose.p[k]));
    const q = (k: number) => arrays.component(poses.map((pose) => pose.q[k]));
    return { p: [p(0), p(1), p(2)] as const, q: [q(0), q(1), q(2), q(3)] as const };
  });
  const columns = plan.columns.map(({ value, ...column }) => ({
    ...column,
    array: arrays.floats(plan.instants.map(value)),
  }));
  const header: Header = {
    version: 1,
    scene: plan.scene,
    arrays: [],
    film: { t, tracks: tracks.map((track) => ({ p: [...track.p], q: [...track.q] })) },
    table: { t, rows: plan.instants.length, of: plan.instants.length, thinned: 'none', columns },
    events: plan.events ?? [],
    health: { ...noHealth, ...plan.health },
    summary: {
      title: plan.scene.title,
      outcome: 'finished',
      verdict: 'sound',
      cause: null,
      message: null,
      started: '2026-11-16T09:00:00Z',
      ended: '2026-11-16T09:00:02Z',
      freedoms: '1 freedom, 1 redundant row',
      method: 'null-space projection, Dormand–Prince 5(4)',
      settings: [
        ['relative tolerance', '1e-8'],
        ['absolute tolerance', '1e-10'],
        ['largest step', '0.01 s'],
      ],
      statistics: [
        ['steps', '1 204'],
        ['rejected', '11'],
        ['evaluations', '8 439'],
        ['time', '0.41 s'],
      ],
      warnings: [],
      versions: [['taut', '0.1.0']],
      model_sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      model: '# sample\ntaut = 2\ngravity = [0, -9.81, 0]\n',
      ...plan.summary,
    },
    extremes: plan.extremes ?? [],
    modes: plan.modes ?? [],
  };
  return pack(header, arrays);
}

/** Columns of a body's motion by differences of its pose. */
export function motionColumns(name: string, place: (t: number) => [number, number, number]): Plan['columns'] {
  const h = 1e-5;
  const axes = ['x', 'y', 'z'] as const;
  return [
    ...axes.map((axis, k) => ({
      name: `${name}.${axis}`,
      unit: 'm',
      meaning: `position of ${name} along ${axis}`,
      element: name,
      family: 'position',
      value: (t: number) => place(t)[k],
    })),
    ...axes.map((axis, k) => ({
      name: `${name}.v${axis}`,
      unit: 'm/s',
      meaning: `velocity of ${name} along ${axis}`,
      element: name,
      family: 'velocity',
      value: (t: number) => (place(t + h)[k] - place(t - h)[k]) / (2 * h),
    })),
  ];
}
