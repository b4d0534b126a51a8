/** Axes, sizes and fonts common to all plots. */

import type uPlot from 'uplot';
import { number } from '../math/format.ts';
import type { Palette } from '../state/palette.ts';

/** Curves are not rounded to whole pixels, because small slopes would become staircases. */
export const SMOOTH = 0;

export function rem(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 14;
}

/** Whole pixels, because the plots scale only integer font sizes. */
function font(em: number): string {
  return `${Math.round(0.82 * em)}px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif`;
}

/** Smallest number of digits that distinguishes neighbouring ticks. */
export function tickTexts(ticks: number[]): string[] {
  if (ticks.length < 2) return ticks.map((tick) => number(tick, 4));
  const step = Math.abs(ticks[1] - ticks[0]);
  const most = Math.max(...ticks.map(Math.abs));
  if (!(step > 0) || most >= 1e5 || most < 1e-3) return ticks.map((tick) => number(tick, 3));
  let decimals = 0;
  while (
    decimals < 8 &&
    Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals
  )
    decimals += 1;
  return ticks.map((tick) => (Math.abs(tick) < step * 1e-6 ? 0 : tick).toFixed(decimals).replace('-', '\u2212'));
}

/** Logarithmic ticks: only whole powers of ten, at most about six. */
function decades(_self: uPlot, ticks: number[]): (number | null)[] {
  const powers = ticks.map((tick) => Math.log10(tick));
  const whole = powers.filter((power) => Math.abs(power - Math.round(power)) < 1e-6).map(Math.round);
  const stride = Math.max(1, Math.ceil(whole.length / 6));
  return ticks.map((tick, k) => {
    const power = Math.round(powers[k]);
    return Math.abs(powers[k] - power) < 1e-6 && power % stride === 0 ? tick : null;
  });
}

export function axis(
  palette: Palette,
  options: { scale: string; label: string; side: 0 | 1 | 2 | 3; grid: boolean; log?: boolean; em?: number },
): uPlot.Axis {
  const { em = rem() } = options;
  const thin = Math.max(1, em / 14);
  const upright = options.side === 1 || options.side === 3;
  return {
    scale: options.scale,
    side: options.side,
    label: options.label,
    labelFont: font(em),
    font: font(em),
    stroke: palette.muted,
    labelSize: 1.25 * em,
    labelGap: 0,
    gap: 0.2 * em,
    size: (_self, texts) =>
      upright
        ? Math.max(
            2.2 * em,
            0.55 * em * Math.max(3, ...(texts ?? ['']).map((text) => text?.length ?? 0)) + 0.7 * em,
          )
        : 1.5 * em,
    space: upright ? 2.2 * em : 5 * em,
    grid: { show: options.grid, stroke: palette.line, width: thin, ...(options.log ? { filter: decades } : {}) },
    ticks: {
      show: true,
      stroke: palette.line,
      width: thin,
      size: 0.3 * em,
      ...(options.log ? { filter: decades } : {}),
    },
    ...(options.log ? { filter: decades } : {}),
    values: options.log
      ? (_self, ticks) => ticks.map((tick) => (tick === null ? '' : number(tick, 1)))
      : (_self, ticks) => tickTexts(ticks),
  };
}

/** Text of a unit on an axis. */
export function unitText(unit: string): string {
  return unit === '' || unit === '1' ? 'no unit' : unit;
}

/** NaN values become gaps. */
export function plain(values: ArrayLike<number>, log: boolean): (number | null)[] | Float64Array {
  const out = new Float64Array(values.length);
  let holes = false;
  for (let k = 0; k < values.length; k += 1) {
    const value = log ? Math.abs(values[k]) : values[k];
    out[k] = value;
    if (!Number.isFinite(value) || (log && value === 0)) holes = true;
  }
  if (!holes) return out;
  return Array.from(out, (value) => (Number.isFinite(value) && !(log && value === 0) ? value : null));
}

/**
 * Isolated values, which are drawn as dots because there is no neighbour to draw a line to: a run of one row, a number
 * between gaps. A missing row (undefined) is not a gap; the line continues across it.
 */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const rows: number[] = [];
  for (let k = 0; k < values.length; k += 1) if (values[k] !== undefined) rows.push(k);
  const stands = (at: number | undefined): boolean => at !== undefined && values[at] !== null;
  return rows.filter((row, k) => values[row] !== null && !stands(rows[k - 1]) && !stands(rows[k + 1]));
}

/** Dots for isolated values. */
export function dots(
  values: ArrayLike<number | null | undefined>,
  colour: string,
  em: number,
): uPlot.Series.Points {
  const places = lonely(values);
  return {
    show: false,
    filter: () => (places.length > 0 ? places : null),
    size: 0.43 * em,
    fill: colour,
    stroke: colour,
  };
}

/** Range of the time axis; a run of one instant gets space on both sides. */
export function timeEnds(begin: number, end: number): [number, number] {
  if (end > begin) return [begin, end];
  const room = Math.max(0.5, 1e-3 * Math.abs(begin));
  return [begin - room, end + room];
}
