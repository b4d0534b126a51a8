/** Reads the palette from style.css, so that scene, plots and page have the same colours in both themes. */

export interface Palette {
  paper: string;
  sheet: string;
  ink: string;
  muted: string;
  line: string;
  grid: string;
  accent: string;
  ghost: string;
  reaction: string;
  contact: string;
  applied: string;
  velocity: string;
  moment: string;
  joint: string;
  jointLight: string;
  link: string;
  spring: string;
  rope: string;
  edge: string;
  ground: string;
  trouble: string;
  bodies: string[];
  series: string[];
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const one = (name: string): string => style.getPropertyValue(`--${name}`).trim() || '#888888';
  const many = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, k) => one(`${name}-${k + 1}`));
  return {
    paper: one('paper'),
    sheet: one('sheet'),
    ink: one('ink'),
    muted: one('muted'),
    line: one('line'),
    grid: one('grid'),
    accent: one('accent'),
    ghost: one('ghost'),
    reaction: one('reaction'),
    contact: one('contact'),
    applied: one('applied'),
    velocity: one('velocity'),
    moment: one('moment'),
    joint: one('joint'),
    jointLight: one('joint-light'),
    link: one('link'),
    spring: one('spring'),
    rope: one('rope'),
    edge: one('edge'),
    ground: one('ground'),
    trouble: one('trouble'),
    bodies: many('body', 6),
    series: many('series', 8),
  };
}

/** Kinds of events that the engine records, with their colours. */
function knownEvents(palette: Palette): Record<string, string> {
  const [blue, , green, purple, gold, sky, grey] = palette.series;
  return {
    impact: palette.contact,
    closes: blue,
    taut: blue,
    opens: sky,
    slack: sky,
    rests: gold,
    sticks: green,
    stick: green,
    slips: purple,
    slip: purple,
    'state reset': palette.moment,
    event: grey,
  };
}

/** Colour of a kind of event; unknown kinds take the colours of plots, in order. */
export function eventColour(what: string, palette: Palette, kinds: string[]): string {
  const known = knownEvents(palette);
  if (Object.hasOwn(known, what)) return known[what];
  const rest = kinds.filter((kind) => !Object.hasOwn(known, kind));
  return palette.series[Math.max(0, rest.indexOf(what)) % palette.series.length];
}
