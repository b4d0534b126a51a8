/** Spatial samples: a chain of links, a swinging beam, and a crowd of a thousand bodies. */

import type { Figure, Form, SceneData, Turn } from '../src/data/contract.ts';
import { multiply, rotate, turnAbout } from '../src/math/pose.ts';
import { even, ground, motionColumns, NONE, packed, type Pose } from './build.ts';

function body(name: string, form: Form, colour?: string): Figure {
  return {
    name,
    role: 'body',
    visuals: [{ form, p: [0, 0, 0], q: NONE, origin: 'given', colour }],
    markers: [{ name: `${name}.tip`, p: [0, 0, 0.1], q: NONE }],
    centre: [0, 0, 0],
  };
}

/** Links of several forms that hang from one another and swing about alternate axes. */
export function chain(): Uint8Array {
  const forms: Form[] = [
    { type: 'box', size: [0.12, 0.08, 0.4] },
    { type: 'cylinder', radius: 0.05, length: 0.4 },
    { type: 'capsule', radius: 0.05, length: 0.3 },
    { type: 'ellipsoid', radii: [0.07, 0.1, 0.2] },
    { type: 'rod', from: [0, 0, -0.2], to: [0, 0, 0.2], radius: 0.02 },
    { type: 'sphere', radius: 0.15 },
  ];
  const names = forms.map((form) => form.type);
  const turn = (k: number, t: number): Turn => {
    let q: Turn = NONE;
    for (let j = 0; j <= k; j += 1) {
      const angle = 0.35 * Math.sin(2 * t + 0.7 * j);
      q = multiply(q, turnAbout(j % 2 ? [angle, 0, 0] : [0, angle, 0]));
    }
    return q;
  };
  const pose = (k: number, t: number): Pose => {
    let p: [number, number, number] = [0, 0, 2.5];
    for (let j = 0; j <= k; j += 1) {
      const reach = rotate(turn(j, t), [0, 0, -0.2]);
      const full = j < k ? 2 : 1;
      p = [p[0] + full * reach[0], p[1] + full * reach[1], p[2] + full * reach[2]];
    }
    return { p, q: turn(k, t) };
  };
  const glyphs = ['revolute', 'universal', 'cylindrical', 'spherical', 'prismatic_z', 'fixed'] as const;
  const scene: SceneData = {
    title: 'Hanging chain of every form',
    space: 'spatial',
    gravity: [0, 0, -9.81],
    figures: [
      { ...ground, visuals: [{ form: { type: 'half_space' }, p: [0, 0, 0], q: NONE, origin: 'contact' }] },
      ...forms.map((form, k) => body(names[k], form)),
    ],
    joints: names.map((_, k) => ({
      name: `joint ${k + 1}`,
      glyph: glyphs[k],
      kind: glyphs[k],
      spots: [
        {
          figure: k,
          p: k === 0 ? [0, 0, 2.5] : [0, 0, -0.2],
          q: k % 2 ? turnAbout([0, Math.PI / 2, 0]) : turnAbout([Math.PI / 2, 0, 0]),
        },
        { figure: k + 1, p: [0, 0, 0.2], q: NONE },
      ],
    })),
    links: [
      {
        name: 'spring',
        line: 'spring',
        spots: [
          { figure: 0, p: [1, 0, 1.5], q: NONE },
          { figure: 3, p: [0, 0, 0], q: NONE },
        ],
      },
      {
        name: 'rope',
        line: 'rope',
        spots: [
          { figure: 0, p: [-1, 0, 2.5], q: NONE },
          { figure: 6, p: [0, 0, 0], q: NONE },
        ],
        length: 2.6,
      },
      {
        name: 'strut',
        line: 'actuator',
        spots: [
          { figure: 0, p: [0, 1, 2], q: NONE },
          { figure: 2, p: [0, 0, 0], q: NONE },
        ],
      },
    ],
    beams: [],
    arrows: names.map((_, k) => ({
      name: `joint ${k + 1}`,
      load: 'reaction',
      spot: { figure: k + 1, p: [0, 0, 0.2], q: NONE },
      vector: [`joint ${k + 1}.fx`, `joint ${k + 1}.fy`, `joint ${k + 1}.fz`],
      moment: [`joint ${k + 1}.mx`, '', ''],
    })),
  };
  return packed({
    scene,
    instants: even(6, 1201),
    pose: (figure, t) => (figure === 0 ? { p: [0, 0, 0], q: NONE } : pose(figure - 1, t)),
    columns: names.flatMap((name, k) => [
      ...motionColumns(name, (t) => pose(k, t).p),
      ...['fx', 'fy', 'fz', 'mx'].map((part, axis) => ({
        name: `joint ${k + 1}.${part}`,
        unit: part === 'mx' ? 'N m' : 'N',
        meaning: part === 'mx' ? 'reaction moment about x' : `reaction along ${part[1]}`,
        element: `joint ${k + 1}`,
        family: 'reaction',
        value: (t: number) => (part === 'fz' ? 10 * (6 - k) : 0) + (3 + k) * Math.sin(2 * t + axis),
      })),
    ]),
  });
}

/** A clamped beam of eight nodes that swings and twists. */
export function beam(): Uint8Array {
  const nodes = 8;
  const length = 2;
  const place = (k: number, t: number): Pose => {
    const s = k / (nodes - 1);
    const w = 0.35 * Math.sin(3 * t);
    const slope = (w * (6 * s - 3 * s * s)) / 2 / length;
    return {
      p: [length * s - 0.1 * w * w * s * s, 0.15 * Math.sin(2 * t) * s * s, 1 + (w * (3 * s * s - s * s * s)) / 2],
      q: multiply(
        turnAbout([0, -Math.atan(slope), 0]),
        multiply(
          turnAbout([0, 0, Math.atan(0.15 * Math.sin(2 * t) * s)]),
          turnAbout([0.5 * s * Math.sin(4 * t), 0, 0]),
        ),
      ),
    };
  };
  const indices = Array.from({ length: nodes }, (_, k) => k + 1);
  return packed({
    scene: {
      title: 'Swinging beam',
      space: 'spatial',
      gravity: [0, 0, -9.81],
      figures: [
        ground,
        ...indices.map((k) => ({
          name: `blade.${k}`,
          role: 'node' as const,
          visuals: [],
          markers: [],
          centre: [0, 0, 0] as [number, number, number],
        })),
      ],
      joints: [
        {
          name: 'clamp',
          glyph: 'fixed',
          kind: 'fixed',
          spots: [
            { figure: 0, p: [0, 0, 1], q: NONE },
            { figure: 1, p: [0, 0, 0], q: NONE },
          ],
        },
      ],
      links: [],
      beams: [
        {
          name: 'blade',
          nodes: indices,
          q: indices.map(() => NONE),
          section: { type: 'rectangle', width: 0.12, height: 0.04 },
        },
      ],
      arrows: [],
    },
    instants: even(5, 1001),
    pose: (figure, t) => (figure === 0 ? { p: [0, 0, 0], q: NONE } : place(figure - 1, t)),
    columns: indices.flatMap((k) => motionColumns(`blade.${k}`, (t) => place(k - 1, t).p)),
  });
}

/** Bodies on a lattice, each turning and heaving. */
export function crowd(count: number, rows: number): Uint8Array {
  const side = Math.ceil(Math.cbrt(count));
  const figures: Figure[] = [ground];
  const forms: Form[] = [
    { type: 'box', size: [0.3, 0.2, 0.4] },
    { type: 'sphere', radius: 0.2 },
    { type: 'cylinder', radius: 0.15, length: 0.4 },
  ];
  for (let k = 0; k < count; k += 1) figures.push(body(`body ${k + 1}`, forms[k % forms.length]));
  const place = (k: number, t: number): [number, number, number] => [
    k % side,
    Math.floor(k / side) % side,
    Math.floor(k / side / side) + 0.5 + 0.2 * Math.sin(2 * t + 0.37 * k),
  ];
  return packed({
    scene: {
      title: `${count} bodies`,
      space: 'spatial',
      gravity: [0, 0, -9.81],
      figures,
      joints: [],
      links: [],
      beams: [],
      arrows: [],
    },
    instants: even(10, rows),
    pose: (figure, t) =>
      figure === 0
        ? { p: [0, 0, 0], q: NONE }
        : { p: place(figure - 1, t), q: turnAbout([0.4 * Math.sin(t + figure), 0.3 * t, 0]) },
    columns: figures.slice(1, 101).flatMap((figure, k) => motionColumns(figure.name, (t) => place(k, t))),
  });
}
