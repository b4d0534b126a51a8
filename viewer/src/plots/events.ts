/** Event marks behind the lines of a plot, as on the timeline. */

import type uPlot from 'uplot';
import type { RunEvent } from '../data/contract.ts';
import { eventColour, type Palette } from '../state/palette.ts';

/** Largest number of marks in view; more would hide the plot. */
const MOST = 120;

export function drawEvents(plot: uPlot, events: RunEvent[], palette: Palette): void {
  const { min, max } = plot.scales.x;
  if (min === undefined || max === undefined) return;
  const seen = events.filter(({ t }) => t >= min && t <= max);
  if (seen.length > MOST) return;
  const kinds = [...new Set(events.map(({ what }) => what))];
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.globalAlpha = 0.35;
  for (const { t, what } of seen) {
    ctx.fillStyle = eventColour(what, palette, kinds);
    ctx.fillRect(Math.round(plot.valToPos(t, 'x', true)), bbox.top, window.devicePixelRatio || 1, bbox.height);
  }
  ctx.restore();
}
