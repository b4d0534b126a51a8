/** Strips under the timeline: energy, energy balance, residuals at three levels, step size and rank over time. */

import type { Run } from '../data/run.ts';
import { element, shorten } from '../dom.ts';
import { instant, number, quantity } from '../math/format.ts';
import { readPalette, type Palette } from '../state/palette.ts';
import type { Store } from '../state/store.ts';
import type { Clock } from '../time/clock.ts';

interface Strip {
  label: string;
  columns: { name: string; short: string }[];
  scale: 'linear' | 'log' | 'zero';
}

/** Strips for which the run has columns. */
function stripsOf(run: Run): Strip[] {
  const { health } = run.header;
  const known = (pairs: [string | null, string][]): Strip['columns'] =>
    pairs.flatMap(([name, short]) => (name !== null && run.column(name) ? [{ name, short }] : []));
  const strips: Strip[] = [
    {
      label: 'energy',
      columns: known([
        [health.kinetic, 'T'],
        [health.potential, 'V'],
      ]),
      scale: 'linear',
    },
    { label: 'energy balance', columns: known([[health.balance, '']]), scale: 'zero' },
    {
      label: 'residuals',
      columns: known([
        [health.position, 'p'],
        [health.velocity, 'v'],
        [health.acceleration, 'a'],
      ]),
      scale: 'log',
    },
    { label: 'step size', columns: known([[health.step, '']]), scale: 'log' },
    {
      label: 'rank, freedoms',
      columns: known([
        [health.rank, 'r'],
        [health.freedoms, 'f'],
      ]),
      scale: 'linear',
    },
  ];
  return strips.filter(({ columns }) => columns.length > 0);
}

const FLOOR = 1e-18;

function drawStrip(canvas: HTMLCanvasElement, strip: Strip, run: Run, palette: Palette): void {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  if (!pen || width === 0) return;
  pen.scale(ratio, ratio);
  const t = run.times;
  const span = run.end - run.begin || 1;
  const map =
    strip.scale === 'log'
      ? (value: number) => (Math.abs(value) > FLOOR ? Math.log10(Math.abs(value)) : NaN)
      : (value: number) => value;
  const series = strip.columns.map(({ name }) => run.values(name) ?? new Float32Array(0));
  let low = strip.scale === 'zero' ? 0 : Infinity;
  let high = strip.scale === 'zero' ? 0 : -Infinity;
  for (const values of series) {
    for (let k = 0; k < values.length; k += 1) {
      const value = map(values[k]);
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(high > low)) {
    low = (Number.isFinite(low) ? low : 0) - 1;
    high = low + 2;
  }
  const y = (value: number): number => height - 2 - ((value - low) / (high - low)) * (height - 4);
  pen.strokeStyle = palette.line;
  pen.beginPath();
  pen.moveTo(0, height - 0.5);
  pen.lineTo(width, height - 0.5);
  pen.stroke();
  series.forEach((values, index) => {
    pen.strokeStyle = palette.series[[0, 1, 2][index % 3]];
    pen.lineWidth = 1.2;
    pen.beginPath();
    // Minimum and maximum per pixel, so that no peak is lost.
    let pixel = -1;
    let least = Infinity;
    let most = -Infinity;
    let open = false;
    const flush = (): void => {
      if (!(most >= least)) return;
      const x = pixel + 0.5;
      if (open) pen.lineTo(x, y(least));
      else pen.moveTo(x, y(least));
      pen.lineTo(x, y(most));
      open = true;
    };
    for (let k = 0; k < values.length; k += 1) {
      const at = Math.floor(((t[k] - run.begin) / span) * (width - 1));
      const value = map(values[k]);
      if (at !== pixel) {
        flush();
        pixel = at;
        least = Infinity;
        most = -Infinity;
      }
      if (!Number.isFinite(value)) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    flush();
    pen.stroke();
  });
  const { trouble } = run.header.health;
  if (trouble) {
    pen.fillStyle = palette.trouble;
    pen.fillRect(((trouble.t - run.begin) / span) * width - 0.75, 0, 1.5, height);
  }
}

export function healthStrip(
  store: Store,
  clock: Clock,
  run: Run,
  line: HTMLElement,
  pick: (name: string) => void,
): { root: HTMLElement; redraw: () => void } {
  const strips = stripsOf(run);
  const { trouble } = run.header.health;
  const span = run.end - run.begin;
  const root = element('div', { class: 'strips' });
  const flag = element('span', { class: 'value' });
  if (trouble) {
    const tell = element(
      'button',
      {
        type: 'button',
        class: 'quiet trouble value',
        title: shorten(`${instant(trouble.t, span)} s: ${trouble.message}`, 300),
      },
      '⚑ ',
      element('bdi', {}, shorten(trouble.element || trouble.message, 40)),
    );
    tell.addEventListener('click', () => {
      clock.pause();
      clock.seek(trouble.t);
      if (trouble.element) pick(trouble.element);
    });
    flag.append(tell);
  }
  root.append(element('span', { class: 'what' }, 'time'), line, flag);
  const rows = strips.map((strip, index) => {
    const canvas = element('canvas', {
      class: 'spark',
      role: 'img',
      'aria-label': `${strip.label} over time`,
      title: strip.columns.map(({ name }) => name).join(', '),
    });
    const value = element('span', { class: 'value' });
    const seek = (event: PointerEvent): void => {
      clock.pause();
      clock.seek(run.begin + (event.offsetX / canvas.clientWidth) * span);
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) seek(event);
    });
    const label = element('span', { class: 'what' }, strip.label);
    for (const [cell, column] of [
      [label, 1],
      [canvas, 2],
      [value, 3],
    ] as [HTMLElement, number][])
      cell.style.gridArea = `${index + 2} / ${column}`;
    root.append(label, canvas, value);
    return { strip, canvas, value };
  });
  const nowMark = element('i');
  const overlay = element('div', { class: 'now-strip', 'aria-hidden': 'true' }, nowMark);
  overlay.style.gridRow = `2 / span ${Math.max(1, strips.length)}`;
  if (strips.length > 0) root.append(overlay);
  const cells = rows.flatMap(({ strip, value }) =>
    strip.columns.map(({ name, short }, k) => {
      const cell = element('span', {});
      if (strip.columns.length > 1) cell.style.color = `var(--series-${(k % 3) + 1})`;
      value.append(cell, '  ');
      return { cell, name, short, crowded: strip.columns.length > 2, unit: run.column(name)?.unit ?? '' };
    }),
  );
  const showValues = (): void => {
    nowMark.style.left = `${(span > 0 ? ((store.state.time - run.begin) / span) * 100 : 0).toFixed(3)}%`;
    for (const { cell, name, short, crowded, unit } of cells) {
      const value = run.at(name, store.state.time);
      const text =
        Number.isInteger(value) && (unit === '1' || unit === '')
          ? String(value)
          : crowded
            ? number(value, 2)
            : quantity(value, unit, 3);
      cell.textContent = `${short} ${text}`.trim();
    }
  };
  store.on(['time'], showValues);
  showValues();
  return {
    root,
    redraw: () => {
      const palette = readPalette();
      for (const { strip, canvas } of rows) drawStrip(canvas, strip, run, palette);
    },
  };
}
