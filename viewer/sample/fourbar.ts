/** A crank-rocker four-bar linkage with reactions, health, extremes and two modes. */

import type { SceneData } from '../src/data/contract.ts';
import { aboutZ, even, ground, motionColumns, NONE, packed, type Plan, type Pose } from './build.ts';
import { body, rod } from './parts.ts';

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
  const columns: Plan['columns'] = [1, 2, 3].flatMap((figure) =>
    motionColumns(names[figure], (t) => pose(figure, t).p),
  );
  scene.joints.forEach((joint, k) => {
    columns.push(
      {
        name: `${joint.name}.fx`,
        unit: 'N',
        meaning: 'reaction along x',
        element: joint.name,
        family: 'reaction',
        value: (t) => force(k, t),
      },
      {
        name: `${joint.name}.fy`,
        unit: 'N',
        meaning: 'reaction along y',
        element: joint.name,
        family: 'reaction',
        value: (t) => 25 + force(k + 1, t),
      },
    );
  });
  columns.push(
    {
      name: 'main.mz',
      unit: 'N m',
      meaning: 'driving moment',
      element: 'main',
      family: 'reaction',
      value: (t) => 3 * Math.sin(speed * t) + 1,
    },
    {
      name: 'energy.kinetic',
      unit: 'J',
      meaning: 'kinetic energy',
      element: null,
      family: 'energy',
      value: (t) => 3 + Math.sin(2 * speed * t),
    },
    {
      name: 'energy.potential',
      unit: 'J',
      meaning: 'potential energy',
      element: null,
      family: 'energy',
      value: (t) => 2 - Math.sin(2 * speed * t),
    },
    {
      name: 'energy.balance',
      unit: 'J',
      meaning: 'what the balance misses',
      element: null,
      family: 'energy',
      value: (t) => 1e-7 * Math.sin(9 * t) * t,
    },
    {
      name: 'residual.position',
      unit: 'm',
      meaning: 'largest residual of position',
      element: null,
      family: 'health',
      value: (t) => 1e-13 * (1.5 + Math.sin(40 * t)),
    },
    {
      name: 'residual.velocity',
      unit: 'm/s',
      meaning: 'largest residual of velocity',
      element: null,
      family: 'health',
      value: (t) => 1e-12 * (1.5 + Math.sin(30 * t)),
    },
    {
      name: 'residual.acceleration',
      unit: 'm/s²',
      meaning: 'largest residual of acceleration',
      element: null,
      family: 'health',
      value: (t) => 1e-10 * (1.5 + Math.sin(20 * t)),
    },
    {
      name: 'step',
      unit: 's',
      meaning: 'step size',
      element: null,
      family: 'health',
      value: (t) => 2e-3 * (1.2 + Math.sin(6 * t)),
    },
    {
      name: 'rank',
      unit: '1',
      meaning: 'rank of the constraints',
      element: null,
      family: 'health',
      value: (t) => (t > 1.9 && t < 1.95 ? 7 : 8),
    },
    {
      name: 'freedoms',
      unit: '1',
      meaning: 'freedoms',
      element: null,
      family: 'health',
      value: (t) => (t > 1.9 && t < 1.95 ? 2 : 1),
    },
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
          translation: [
            [0.01 * figure, 0],
            [0.03, 0.01],
            [0, 0],
          ],
          rotation: [
            [0, 0],
            [0, 0],
            [0.2 * figure, 0],
          ],
        })),
      },
      {
        label: 'free turn of the crank',
        frequency: 0,
        damping: null,
        kind: 'free',
        growth: 0,
        shapes: [
          {
            figure: 1,
            translation: [
              [0, 0],
              [0.1, 0],
              [0, 0],
            ],
            rotation: [
              [0, 0],
              [0, 0],
              [1, 0],
            ],
          },
        ],
      },
    ],
  };
}

export const fourBar = (): Uint8Array => packed(fourBarPlan(2 * Math.PI));
export const fourBarSlower = (): Uint8Array => packed(fourBarPlan(2 * Math.PI * 0.97));
