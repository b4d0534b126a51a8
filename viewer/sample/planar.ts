/** Planar samples: a bouncing ball with events, pendulums with hostile names. */

import type { RunEvent, SceneData } from '../src/data/contract.ts';
import { aboutZ, even, ground, motionColumns, NONE, packed } from './build.ts';
import { body, rod } from './parts.ts';

/** Falls from 1 m, bounces by 0.75 until it rests on a line. */
export function ball(): Uint8Array {
  const g = 9.81;
  const radius = 0.1;
  const bounces: { t: number; v: number }[] = [{ t: 0, v: 0 }];
  let when = Math.sqrt(2 / g);
  let speed = Math.sqrt(2 * g);
  const events: RunEvent[] = [];
  for (let k = 0; k < 9; k += 1) {
    const after = 0.75 * speed;
    events.push({
      t: when,
      name: 'floor',
      what: 'impact',
      impulse: speed + after,
      lost: (speed * speed - after * after) / 2,
    });
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
      body('wedge', [
        {
          form: {
            type: 'polygon',
            points: [
              [-0.2, 0],
              [0.2, 0],
              [0.2, 0.25],
            ],
          },
          p: [0, 0, 0],
          q: NONE,
          origin: 'given',
          colour: '#8a6d3b',
        },
      ]),
    ],
    joints: [
      {
        name: 'wedge fixed',
        glyph: 'fixed',
        kind: 'fixed',
        spots: [
          { figure: 0, p: [1.6, 0, 0], q: NONE },
          { figure: 2, p: [0, 0, 0], q: NONE },
        ],
      },
    ],
    links: [
      {
        name: 'leash',
        line: 'rope',
        spots: [
          { figure: 0, p: [0.6, 1.2, 0], q: NONE },
          { figure: 1, p: [0, 0, 0], q: NONE },
        ],
        length: 1.5,
      },
      {
        name: 'apart',
        line: 'separator',
        spots: [
          { figure: 2, p: [0, 0.1, 0], q: NONE },
          { figure: 1, p: [0, 0, 0], q: NONE },
        ],
      },
    ],
    beams: [],
    arrows: [
      {
        name: 'floor',
        load: 'contact',
        spot: { figure: 1, p: [0, -radius, 0], q: NONE },
        at: ['floor.x', 'floor.y', ''],
        vector: ['floor.fx', 'floor.fy', ''],
      },
      {
        name: 'ball',
        load: 'velocity',
        spot: { figure: 1, p: [0, 0, 0], q: NONE },
        vector: ['ball.vx', 'ball.vy', ''],
      },
    ],
  };
  const instants = even(4, 1601)
    .concat(events.map((event) => event.t))
    .sort((a, b) => a - b)
    .filter((t) => t <= 4);
  return packed({
    scene,
    instants,
    pose: (figure, t) => {
      if (figure === 1) return { p: place(t), q: aboutZ(-2.5 * Math.min(t, when)) };
      return { p: figure === 2 ? [1.6, 0, 0] : [0, 0, 0], q: NONE };
    },
    columns: [
      ...motionColumns('ball', place),
      {
        name: 'floor.x',
        unit: 'm',
        meaning: 'point of contact',
        element: 'floor',
        family: 'contact',
        value: (t) => place(t)[0],
      },
      { name: 'floor.y', unit: 'm', meaning: 'point of contact', element: 'floor', family: 'contact', value: () => 0 },
      {
        name: 'floor.fx',
        unit: 'N',
        meaning: 'friction',
        element: 'floor',
        family: 'contact',
        value: (t) => (t >= when ? -1.2 : 0),
      },
      {
        name: 'floor.fy',
        unit: 'N',
        meaning: 'normal force',
        element: 'floor',
        family: 'contact',
        value: (t) => (t >= when ? g : 0),
      },
    ],
    events: events.filter((event) => event.t <= 4),
  });
}

/** A pendulum whose names try to be markup, to be very long and to run the other way. */
export function hostile(): Uint8Array {
  const names = [
    '<script>window.hurt=1</script>',
    `"quoted' & <img src=x onerror=alert(1)>`,
    'long-'.repeat(2000),
    'גוף שמאלי \u202eabc',
  ];
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
      spots: [
        { figure: 0, p: [0.5 * k, 0, 0], q: NONE },
        { figure: k + 1, p: [-0.2, 0, 0], q: NONE },
      ],
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
      figure === 0
        ? { p: [0, 0, 0], q: NONE }
        : { p: place(figure - 1, t), q: aboutZ(swing(figure - 1, t) - Math.PI / 2) },
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
    events: names.map((name, k) => ({
      t: 0.5 * (k + 1),
      name,
      what: k % 2 ? 'slip' : '<i>taut</i>',
      impulse: null,
      lost: null,
    })),
    summary: {
      model: '<script>window.hurt=3</script>\n# \u202e model',
      message: '<b>nothing</b>',
      warnings: [{ t: 1, message: '<script>window.hurt=4</script>' }],
    },
    extremes: names.map((name) => ({
      name: `hinge of ${name}`,
      kind: 'reaction',
      quantity: 'force',
      unit: 'N',
      least: 0,
      least_at: 0,
      largest: 5,
      largest_at: 1,
    })),
  });
}
