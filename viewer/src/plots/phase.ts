/** Phase portrait: any column over any other, with the current time as a dot. */

import uPlot from 'uplot';
import type { Run } from '../data/run.ts';
import { button, element, named } from '../dom.ts';
import { iconButton } from '../icons.ts';
import { quantity } from '../math/format.ts';
import { readPalette } from '../state/palette.ts';
import type { Store } from '../state/store.ts';
import { axis, rem, unitText } from './axes.ts';
import { pictureNote, saveCsv, savePlot, type Drawing } from './export.ts';
import type { PlotPanel } from './panel.ts';
import { columnSearch } from './search.ts';

interface PhaseOptions {
  store: Store;
  run: Run;
  ghosts: Run[];
  close: (panel: PhasePlot) => void;
}

/** A line through points in their given order. */
function curve(self: uPlot, index: number): uPlot.Series.Paths | null {
  const [xs, ys] = (self.data as unknown as [ArrayLike<number>, ArrayLike<number>][])[index];
  const path = new Path2D();
  let open = false;
  for (let k = 0; k < xs.length; k += 1) {
    if (!Number.isFinite(xs[k]) || !Number.isFinite(ys[k])) {
      open = false;
      continue;
    }
    const x = self.valToPos(xs[k], 'x', true);
    const y = self.valToPos(ys[k], 'y', true);
    if (open) path.lineTo(x, y);
    else path.moveTo(x, y);
    open = true;
  }
  return { stroke: path, fill: undefined, clip: undefined, flags: 1 } as unknown as uPlot.Series.Paths;
}

function spanOf(values: ArrayLike<number>[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const list of values) {
    for (let k = 0; k < list.length; k += 1) {
      if (!Number.isFinite(list[k])) continue;
      low = Math.min(low, list[k]);
      high = Math.max(high, list[k]);
    }
  }
  if (!(high >= low)) return [0, 1];
  const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - pad, high + pad];
}

export class PhasePlot implements PlotPanel {
  readonly root = element('article', { class: 'plot' });
  private readonly head = element('header');
  private readonly body = element('div', { class: 'body' });
  private readonly dot = element('div', { class: 'now-dot' });
  private readonly chooseX: { root: HTMLElement; input: HTMLInputElement };
  private readonly chooseY: { root: HTMLElement; input: HTMLInputElement };
  private plot: uPlot | null = null;

  constructor(
    private readonly options: PhaseOptions,
    private x: string,
    private y: string,
  ) {
    const { run } = options;
    this.chooseX = columnSearch(run, 'Horizontal column', (name) => {
      this.x = name;
      this.rebuild();
    });
    this.chooseY = columnSearch(run, 'Vertical column', (name) => {
      this.y = name;
      this.rebuild();
    });
    const shut = iconButton('close', 'Close this plot', () => options.close(this));
    shut.classList.add('quiet');
    const acts = element(
      'div',
      { class: 'acts' },
      button('PNG', 'Save this plot as a picture', () => this.savePicture(), { class: 'quiet' }),
      button('CSV', 'Save both columns as CSV', () => saveCsv(run, [this.x, this.y], options.store.state.zoom), {
        class: 'quiet',
      }),
      shut,
    );
    this.root.append(
      element('div', { class: 'head' }, this.head, acts),
      element(
        'div',
        { class: 'plotbar' },
        element('span', {}, 'across'),
        this.chooseX.root,
        element('span', {}, 'upwards'),
        this.chooseY.root,
      ),
      this.body,
    );
    this.rebuild();
  }

  columns(): string[] {
    return [this.x, this.y];
  }

  add(): boolean {
    return false;
  }

  private drawing(): Drawing {
    const { run, ghosts, store } = this.options;
    const palette = readPalette();
    const cut = (of: Run): [ArrayLike<number>, ArrayLike<number>] | null => {
      const xs = of.values(this.x);
      const ys = of.values(this.y);
      if (!xs || !ys) return null;
      const { zoom } = store.state;
      if (!zoom) return [xs, ys];
      const rows = Array.from(of.times.keys()).filter((k) => of.times[k] >= zoom[0] && of.times[k] <= zoom[1]);
      return [rows.map((k) => xs[k]), rows.map((k) => ys[k])];
    };
    const curves = [run, ...ghosts].map(cut).filter((pair) => pair !== null);
    const text = (name: string): string =>
      `${name.length > 40 ? `${name.slice(0, 39)}…` : name} [${unitText(run.column(name)?.unit ?? '')}]`;
    const facets = [
      { scale: 'x', auto: true },
      { scale: 'y', auto: true },
    ];
    const options = (em: number, width: number): uPlot.Options => ({
      mode: 2,
      width,
      height: 18 * em,
      padding: [0.5 * em, 0.8 * em, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: spanOf(curves.map(([xs]) => xs)) },
        y: { range: spanOf(curves.map(([, ys]) => ys)) },
      },
      axes: [
        axis(palette, { scale: 'x', label: text(this.x), side: 2, grid: true, em }),
        axis(palette, { scale: 'y', label: text(this.y), side: 3, grid: true, em }),
      ],
      series: [
        null as unknown as uPlot.Series,
        ...curves.map((_, k) => ({
          facets,
          // The first compared run has the colour of the run.
          stroke: palette.series[Math.max(0, k - 1) % palette.series.length],
          width: (k === 0 ? 0.107 : 0.09) * em,
          dash: k === 0 ? undefined : [0.36 * em, 0.28 * em],
          alpha: k === 0 ? 1 : 0.75,
          paths: curve as unknown as uPlot.Series.PathBuilder,
          points: { show: false },
        })),
      ],
    });
    return {
      options,
      data: [null, ...curves] as unknown as uPlot.AlignedData,
      entries: [],
      title: `${this.y} against ${this.x}`,
      note: pictureNote(run, store.state.zoom),
    };
  }

  rebuild(): void {
    this.plot?.destroy();
    this.head.replaceChildren(
      element('span', { class: 'title' }, named(this.y)),
      element('span', { class: 'now' }, 'against'),
      element('span', { class: 'title' }, named(this.x)),
    );
    this.chooseX.input.placeholder = this.x;
    this.chooseY.input.placeholder = this.y;
    const { options, data } = this.drawing();
    const made = options(rem(), Math.max(160, this.body.clientWidth || 400));
    this.plot = new uPlot({ ...made, hooks: { ready: [() => this.tick()] } }, data, this.body);
    this.plot.over.append(this.dot);
    this.tick();
  }

  tick(): void {
    const { run, store } = this.options;
    const x = run.at(this.x, store.state.time);
    const y = run.at(this.y, store.state.time);
    this.dot.hidden = !this.plot || !Number.isFinite(x) || !Number.isFinite(y);
    if (!this.plot || this.dot.hidden) return;
    this.dot.style.left = `${this.plot.valToPos(x, 'x').toFixed(2)}px`;
    this.dot.style.top = `${this.plot.valToPos(y, 'y').toFixed(2)}px`;
    this.dot.title = `${quantity(x, run.column(this.x)?.unit ?? '')}, ${quantity(y, run.column(this.y)?.unit ?? '')}`;
  }

  zoom(): void {
    this.rebuild();
  }

  private savePicture(): void {
    savePlot(this.drawing(), readPalette());
  }

  destroy(): void {
    this.plot?.destroy();
    this.root.remove();
  }
}
