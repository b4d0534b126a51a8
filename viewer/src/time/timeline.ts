/** The timeline: a slider with marks at the events of the run. */

import type { RunEvent } from '../data/contract.ts';
import type { Run } from '../data/run.ts';
import { element, shorten } from '../dom.ts';
import { instant, quantity } from '../math/format.ts';
import { eventColour, readPalette } from '../state/palette.ts';
import type { Store } from '../state/store.ts';
import type { Clock } from './clock.ts';

const NEAR_PIXELS = 6;

export interface Timeline {
  root: HTMLElement;
  legend: HTMLElement;
  redraw: () => void;
}

export function kindsOf(events: RunEvent[]): string[] {
  return [...new Set(events.map(({ what }) => what))];
}

/** Description of an event. */
export function describe(event: RunEvent, span: number): string {
  const parts = [`${instant(event.t, span)} s`, shorten(event.what, 60), shorten(event.name, 80)];
  if (event.impulse !== null) parts.push(`impulse ${quantity(event.impulse, 'N s')}`);
  if (event.lost !== null) parts.push(`lost ${quantity(event.lost, 'J')}`);
  return parts.join(' · ');
}

export function timeline(store: Store, clock: Clock, run: Run): Timeline {
  const { events } = run.header;
  const kinds = kindsOf(events);
  const span = run.end - run.begin;
  const marks = element('canvas', { class: 'marks' });
  const tip = element('div', { class: 'tip', hidden: true });
  const slider = element('input', {
    type: 'range',
    min: run.begin,
    max: run.end,
    step: 'any',
    value: run.begin,
    'aria-label': 'Time in seconds',
  });
  const root = element('div', { class: 'timeline' }, marks, slider, tip);
  const legend = element('div', { class: 'kinds' });

  const where = (t: number): number => (span > 0 ? (t - run.begin) / span : 0);

  const near = (x: number, width: number): RunEvent | null => {
    let best: RunEvent | null = null;
    let least = NEAR_PIXELS;
    for (const event of events) {
      const away = Math.abs(where(event.t) * width - x);
      if (away < least) {
        least = away;
        best = event;
      }
    }
    return best;
  };

  slider.addEventListener('input', () => {
    clock.pause();
    clock.seek(Number(slider.value));
  });
  // The keys of the page already move the time; the slider must not do it again.
  slider.addEventListener('keydown', (event) => {
    if (/^(Arrow|Home|End|Page)/.test(event.key)) event.preventDefault();
  });
  marks.addEventListener('pointermove', (event) => {
    const found = near(event.offsetX, marks.clientWidth);
    tip.hidden = found === null;
    marks.style.cursor = found ? 'pointer' : 'default';
    if (found) {
      tip.textContent = describe(found, span);
      tip.style.left = `${(where(found.t) * 100).toFixed(2)}%`;
      tip.classList.toggle('leftward', where(found.t) > 0.6);
    }
  });
  marks.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  marks.addEventListener('click', (event) => {
    const found = near(event.offsetX, marks.clientWidth);
    clock.pause();
    clock.seek(found ? found.t : run.begin + (event.offsetX / marks.clientWidth) * span);
  });

  const redraw = (): void => {
    const palette = readPalette();
    const ratio = window.devicePixelRatio || 1;
    const width = marks.clientWidth;
    const height = marks.clientHeight;
    marks.width = Math.round(width * ratio);
    marks.height = Math.round(height * ratio);
    const pen = marks.getContext('2d');
    if (!pen) return;
    pen.scale(ratio, ratio);
    const drawn = new Set<string>();
    for (const event of events) {
      const x = Math.round(where(event.t) * width * 2) / 2;
      const key = `${x} ${event.what}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      pen.fillStyle = eventColour(event.what, palette, kinds);
      pen.beginPath();
      pen.moveTo(x - 4, 0);
      pen.lineTo(x + 4, 0);
      pen.lineTo(x, 7);
      pen.fill();
      pen.fillRect(x - 0.75, 0, 1.5, height);
    }
    legend.replaceChildren(
      ...kinds.slice(0, 8).map((kind) => {
        const swatch = element('i', { class: 'swatch' });
        swatch.style.background = eventColour(kind, palette, kinds);
        const count = events.reduce((sum, event) => sum + (event.what === kind ? 1 : 0), 0);
        return element(
          'span',
          { class: 'kind' },
          swatch,
          element('bdi', {}, shorten(kind, 24)),
          element('small', {}, String(count)),
        );
      }),
    );
  };

  const showTime = (): void => {
    slider.value = String(store.state.time);
    slider.style.setProperty('--done', `${(where(store.state.time) * 100).toFixed(3)}%`);
    slider.setAttribute('aria-valuetext', `${instant(store.state.time, span)} seconds`);
  };
  store.on(['time'], showTime);
  showTime();
  return { root, legend, redraw };
}
