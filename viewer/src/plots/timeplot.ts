/** Columns over time: one axis per unit, the current time as a line; click to jump, drag to zoom. */

import uPlot from 'uplot';
import { ghostTitles } from '../data/compare.ts';
import { nearestRow } from '../data/rows.ts';
import type { Run } from '../data/run.ts';
import { button, element, named } from '../dom.ts';
import { iconButton } from '../icons.ts';
import { number, quantity } from '../math/format.ts';
import { readPalette, type Palette } from '../state/palette.ts';
import type { Store } from '../state/store.ts';
import type { Clock } from '../time/clock.ts';
import { axis, dots, plain, rem, SMOOTH, timeEnds, unitText } from './axes.ts';
import { drawEvents } from './events.ts';
import { pictureNote, saveCsv, savePlot, type Drawing } from './export.ts';
import { together } from './ghost.ts';
import type { PlotPanel } from './panel.ts';

const MOST_UNITS = 3;
const MOST_SERIES = 12;

export interface TimePlotOptions {
  store: Store;
  clock: Clock;
  run: Run;
  ghosts: Run[];
  title: string;
  close: (panel: TimePlot) => void;
  keep: ((panel: TimePlot) => void) | null;
}

export class TimePlot implements PlotPanel {
  readonly root = element('article', { class: 'plot' });
  private readonly head = element('header');
  private readonly body = element('div', { class: 'body' });
  private readonly nowLine = element('div', { class: 'now-line' });
  private readonly acts = element('div', { class: 'acts' });
  private names: string[];
  private readouts: { name: string; now: HTMLElement }[] = [];
  private plot: uPlot | null = null;
  private log = false;
  private hoverTime: number | null = null;

  constructor(
    private readonly options: TimePlotOptions,
    columns: string[],
  ) {
    this.names = columns.filter((name) => options.run.column(name)).slice(0, MOST_SERIES);
    this.root.append(element('div', { class: 'head' }, this.head, this.acts), this.body);
    this.setActs();
    this.rebuild();
  }

  private setActs(): void {
    const { keep, close } = this.options;
    const logButton = button(
      'log',
      'Logarithmic axes',
      () => {
        this.log = !this.log;
        logButton.setAttribute('aria-pressed', String(this.log));
        this.rebuild();
      },
      { class: 'quiet' },
    );
    const items: HTMLElement[] = [
      logButton,
      button('PNG', 'Save this plot as a picture', () => this.savePicture(), { class: 'quiet' }),
      button(
        'CSV',
        'Save these columns as CSV',
        () => saveCsv(this.options.run, this.names, this.options.store.state.zoom),
        { class: 'quiet' },
      ),
    ];
    if (keep) {
      const pin = button(
        'keep',
        'Keep this plot when another element is selected',
        () => {
          keep(this);
          pin.remove();
        },
        { class: 'quiet' },
      );
      items.unshift(pin);
    }
    const shut = iconButton('close', 'Close this plot', () => close(this));
    shut.classList.add('quiet');
    this.acts.replaceChildren(...items, shut);
  }

  columns(): string[] {
    return [...this.names];
  }

  private units(): string[] {
    return [...new Set(this.names.map((name) => this.options.run.column(name)?.unit ?? ''))];
  }

  add(name: string): boolean {
    const column = this.options.run.column(name);
    if (!column) return false;
    if (this.names.includes(name)) return true;
    const units = this.units();
    if (this.names.length >= MOST_SERIES || (!units.includes(column.unit) && units.length >= MOST_UNITS)) return false;
    this.names.push(name);
    this.rebuild();
    return true;
  }

  private drop(name: string): void {
    this.names = this.names.filter((other) => other !== name);
    if (this.names.length === 0) this.options.close(this);
    else this.rebuild();
  }

  private fillHead(colours: string[]): void {
    const { run, title } = this.options;
    this.readouts = [];
    const chips = this.names.map((name, k) => {
      const bar = element('i');
      bar.style.background = colours[k];
      const now = element('span', { class: 'now' });
      this.readouts.push({ name, now });
      const away = iconButton('close', 'Remove this column from the plot', () => this.drop(name));
      away.classList.add('quiet');
      const label = named(name, '', 32);
      const meaning = run.column(name)?.meaning;
      if (meaning) label.title = `${label.title}: ${meaning}`.slice(0, 500);
      return element('span', { class: 'series' }, bar, label, now, this.names.length > 1 && away);
    });
    this.head.replaceChildren(
      ...(title === '' ? [] : [element('span', { class: 'title' }, named(title))]),
      ...chips,
      ...this.ghostNote(),
    );
  }

  /** Names the runs of the dashed lines, or notes that a compared run has no such column. */
  private ghostNote(): HTMLElement[] {
    const { run, ghosts } = this.options;
    const palette = readPalette();
    return ghostTitles(run, ghosts).map((title, g) => {
      const other = named(title, '', 32);
      if (!this.names.some((name) => ghosts[g].column(name))) return element('small', {}, 'not in ', other);
      const line = element('i', { class: 'dashed' });
      if (g > 0) line.style.setProperty('--muted', this.ghostColour(palette, g, 0));
      return element('span', { class: 'series' }, line, other);
    });
  }

  /** The first compared run has the colours of the run; those after it have others. */
  private ghostColour(palette: Palette, ghost: number, name: number): string {
    return palette.series[(ghost * this.names.length + name) % palette.series.length];
  }

  /** Values of this plot and how they are drawn, at any size: `em` is the font size. */
  private drawing(): Drawing {
    const { run, ghosts, title, store } = this.options;
    const palette = readPalette();
    const units = this.units();
    const colours = this.colours(palette);
    const own = this.names.map((name) => plain(run.values(name) ?? [], this.log));
    // Lines of the compared runs: run, column, and values in the order of the merged times.
    const dashed = ghosts.flatMap((ghost, g) =>
      this.names.flatMap((name, k) => (ghost.column(name) ? [{ g, name, colour: this.ghostColour(palette, g, k) }] : [])),
    );
    const rows = ghosts.map((ghost, g) => ({
      times: ghost.times,
      columns: dashed.filter((one) => one.g === g).map(({ name }) => plain(ghost.values(name) ?? [], this.log)),
    }));
    const joined = together([{ times: run.times, columns: own }, ...rows.filter(({ columns }) => columns.length > 0)]);
    const [ours, ...theirs] = joined.columns;
    const others = theirs.flat();
    const scaleOf = (name: string): string => `y ${units.indexOf(run.column(name)?.unit ?? '')}`;
    const [min, max] = this.ends();
    const scales: uPlot.Scales = { x: { time: false, min, max } };
    units.forEach((_, k) => {
      scales[`y ${k}`] = { distr: this.log ? 3 : 1 };
    });
    const options = (em: number, width: number): uPlot.Options => ({
      width,
      height: 11.5 * em,
      padding: [0.5 * em, units.length > 1 ? 0 : 0.8 * em, 0, 0],
      legend: { show: false },
      scales,
      axes: [
        axis(palette, { scale: 'x', label: 'time [s]', side: 2, grid: true, em }),
        ...units.map((unit, k) =>
          axis(palette, {
            scale: `y ${k}`,
            label: `[${unitText(unit)}]`,
            side: k === 0 ? 3 : 1,
            grid: k === 0,
            log: this.log,
            em,
          }),
        ),
      ],
      series: [
        {},
        ...this.names.map((name, k) => ({
          scale: scaleOf(name),
          stroke: colours[k],
          width: 0.107 * em,
          pxAlign: SMOOTH,
          spanGaps: false,
          points: dots(ours[k], colours[k], em),
        })),
        ...dashed.map(({ name, colour }, k) => ({
          scale: scaleOf(name),
          stroke: colour,
          width: 0.09 * em,
          pxAlign: SMOOTH,
          dash: [0.36 * em, 0.28 * em],
          alpha: 0.75,
          points: dots(others[k], colour, em),
        })),
      ],
      hooks: { drawAxes: [(self) => drawEvents(self, run.header.events, readPalette())] },
    });
    return {
      options,
      data: [joined.t, ...ours, ...others] as unknown as uPlot.AlignedData,
      entries: [
        ...this.names.map((name, k) => ({ colour: colours[k], text: name })),
        ...ghostTitles(run, ghosts).flatMap((text, g) => {
          const lines = dashed.filter((one) => one.g === g);
          return lines.length > 0 ? [{ colour: g === 0 ? palette.muted : lines[0].colour, text, dash: true }] : [];
        }),
      ],
      title: title || this.names[0],
      note: pictureNote(run, store.state.zoom),
    };
  }

  private colours(palette: Palette): string[] {
    return this.names.map((_, k) => palette.series[k % palette.series.length]);
  }

  rebuild(): void {
    this.plot?.destroy();
    const { store } = this.options;
    this.fillHead(this.colours(readPalette()));
    const { options, data } = this.drawing();
    const made = options(rem(), Math.max(160, this.body.clientWidth || 400));
    this.plot = new uPlot(
      {
        ...made,
        cursor: {
          sync: { key: 'taut', scales: ['x', null] },
          y: false,
          points: { size: 6 },
          drag: { x: true, y: false, setScale: false },
          bind: {
            dblclick: () => () => {
              store.set({ zoom: null });
              return null;
            },
          },
        },
        hooks: {
          ...made.hooks,
          setSelect: [
            (self) => {
              if (self.select.width < 4) return;
              const from = self.posToVal(self.select.left, 'x');
              const to = self.posToVal(self.select.left + self.select.width, 'x');
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              store.set({ zoom: [from, to] });
            },
          ],
          setCursor: [
            (self) => {
              const at = self.cursor.left ?? -1;
              this.hoverTime =
                at >= 0 && self.cursor.idx !== null && self.cursor.idx !== undefined ? self.posToVal(at, 'x') : null;
              this.readNow();
            },
          ],
          setScale: [() => this.tick()],
          ready: [(self) => this.listen(self)],
        },
      },
      data,
      this.body,
    );
    this.plot.over.append(this.nowLine);
    this.tick();
  }

  private listen(self: uPlot): void {
    let pressed: { x: number; y: number } | null = null;
    self.over.addEventListener('pointerdown', (event) => {
      pressed = { x: event.clientX, y: event.clientY };
    });
    self.over.addEventListener('click', (event) => {
      if (!pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
      const box = self.over.getBoundingClientRect();
      this.options.clock.pause();
      this.options.clock.seek(self.posToVal(event.clientX - box.left, 'x'));
    });
  }

  private readNow(): void {
    const { run, store } = this.options;
    for (const { name, now } of this.readouts) {
      const values = run.values(name);
      const value =
        this.hoverTime === null
          ? run.at(name, store.state.time)
          : values
            ? values[nearestRow(run.times, this.hoverTime)]
            : NaN;
      now.textContent = this.units().length > 1 ? quantity(value, run.column(name)?.unit ?? '') : number(value);
    }
  }

  tick(): void {
    const plot = this.plot;
    if (!plot) return;
    const { min, max } = plot.scales.x;
    const { time } = this.options.store.state;
    const inside = min !== undefined && max !== undefined && time >= min && time <= max;
    this.nowLine.hidden = !inside;
    if (inside) this.nowLine.style.transform = `translateX(${plot.valToPos(time, 'x').toFixed(2)}px)`;
    this.readNow();
  }

  private ends(): [number, number] {
    const { run, ghosts, store } = this.options;
    const all = [run, ...ghosts];
    return (
      store.state.zoom ?? timeEnds(Math.min(...all.map(({ begin }) => begin)), Math.max(...all.map(({ end }) => end)))
    );
  }

  zoom(): void {
    const [min, max] = this.ends();
    this.plot?.setScale('x', { min, max });
  }

  private savePicture(): void {
    savePlot(this.drawing(), readPalette());
  }

  destroy(): void {
    this.plot?.destroy();
    this.root.remove();
  }
}
