/** The palette lives in style.css; here it is read, so that scene, plots and page agree in light and dark. */

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
  const many = (name: string, count: number): string[] => Array.from({ length: count }, (_, k) => one(`${name}-${k + 1}`));
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

/** Colours of kinds of events; kinds the page does not know take what is left, in order. */
export function eventColour(what: string, palette: Palette, kinds: string[]): string {
  const known: Record<string, string> = {
    impact: palette.contact,
    stick: palette.series[2],
    slip: palette.series[3],
    taut: palette.reaction,
    slack: palette.series[4],
    release: palette.series[4],
  };
  const fixed = known[what];
  if (fixed) return fixed;
  const rest = kinds.filter((kind) => !(kind in known));
  return palette.series[Math.max(0, rest.indexOf(what)) % palette.series.length];
}
