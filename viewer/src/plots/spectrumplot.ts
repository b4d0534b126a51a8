/** Amplitude spectra of the columns of a plot, over the time range that is zoomed to. */

import uPlot from 'uplot';
import type { Run } from '../data/run.ts';
import { button, download, element, fileName, named } from '../dom.ts';
import { iconButton } from '../icons.ts';
import { csvField, quantity } from '../math/format.ts';
import { spectrum, type Spectrum } from '../math/spectrum.ts';
import { readPalette } from '../state/palette.ts';
import type { Store } from '../state/store.ts';
import { axis, plain, rem, SMOOTH, unitText } from './axes.ts';
import { pictureNote, savePlot, type Drawing } from './export.ts';
import type { PlotPanel } from './panel.ts';

/** Amplitudes further below the largest one are round-off and not shown. */
const FLOOR = 1e-7;

interface SpectrumOptions {
  store: Store;
  run: Run;
  close: (panel: SpectrumPlot) => void;
}

/** Frequency up to which there are significant amplitudes; a double click shows the rest. */
function reachOf(frequency: Float64Array, amplitudes: Float64Array[]): number | null {
  let last = 0;
  for (const values of amplitudes) {
    const most = values.reduce((sum, value) => Math.max(sum, value), 0);
    values.forEach((value, k) => {
      if (value > 1e-3 * most) last = Math.max(last, k);
    });
  }
  const reach = Math.max(64, Math.ceil(1.3 * last));
  return reach < frequency.length - 1 ? frequency[reach] : null;
}

/** How the spectrum was computed, as text. */
export function made(of: Spectrum | null): string {
  if (!of || of.frequency.length === 0) return 'too few rows for a spectrum';
  const rows = of.rows === 'even' ? '' : ', non-uniform rows resampled';
  return `Hann window, mean removed, Δf ${quantity(of.resolution, 'Hz', 3)}, up to ${quantity(of.limit, 'Hz', 3)} (Nyquist frequency of the rows${rows})`;
}

export class SpectrumPlot implements PlotPanel {
  readonly root = element('article', { class: 'plot' });
  private readonly head = element('header');
  private readonly body = element('div', { class: 'body' });
  private plot: uPlot | null = null;
  private log = true;

  constructor(
    private readonly options: SpectrumOptions,
    private readonly names: string[],
  ) {
    const shut = iconButton('close', 'Close this plot', () => options.close(this));
    shut.classList.add('quiet');
    const logButton = button(
      'log',
      'Logarithmic amplitude',
      () => {
        this.log = !this.log;
        logButton.setAttribute('aria-pressed', String(this.log));
        this.rebuild();
      },
      { class: 'quiet', 'aria-pressed': 'true' },
    );
    const acts = element(
      'div',
      { class: 'acts' },
      logButton,
      button('PNG', 'Save this plot as a picture', () => this.savePicture(), { class: 'quiet' }),
      button('CSV', 'Save the spectrum as CSV', () => this.saveTable(), { class: 'quiet' }),
      shut,
    );
    this.root.append(element('div', { class: 'head' }, this.head, acts), this.body);
    this.rebuild();
  }

  columns(): string[] {
    return [...this.names];
  }

  add(name: string): boolean {
    if (!this.options.run.column(name) || this.names.includes(name)) return false;
    this.names.push(name);
    this.rebuild();
    return true;
  }

  private lines(): { frequency: Float64Array; amplitudes: Float64Array[]; first: Spectrum | null } {
    const { run, store } = this.options;
    const [from, to] = store.state.zoom ?? [run.times[0] ?? 0, run.times[run.times.length - 1] ?? 0];
    const all = this.names.map((name) => spectrum(run.times, run.values(name) ?? [], from, to));
    return {
      frequency: all[0]?.frequency ?? new Float64Array(0),
      amplitudes: all.map(({ amplitude }) => amplitude),
      first: all[0] ?? null,
    };
  }

  private drawing(): Drawing & { method: string } {
    const { run } = this.options;
    const palette = readPalette();
    const { frequency, amplitudes, first } = this.lines();
    const units = [...new Set(this.names.map((name) => run.column(name)?.unit ?? ''))];
    const colours = this.names.map((_, k) => palette.series[k % palette.series.length]);
    const scaleOf = (name: string): string => `y ${units.indexOf(run.column(name)?.unit ?? '')}`;
    const reach = reachOf(frequency, amplitudes);
    const scales: uPlot.Scales = {};
    units.forEach((_, k) => {
      scales[`y ${k}`] = {
        distr: this.log ? 3 : 1,
        ...(this.log
          ? {
              range: (_self: uPlot, least: number, most: number) =>
                [Math.max(least, most * FLOOR), most * 2] as [number, number],
            }
          : {}),
      };
    });
    const options = (em: number, width: number): uPlot.Options => ({
      width,
      height: 12.5 * em,
      padding: [0.5 * em, 0.8 * em, 0, 0],
      legend: { show: false },
      scales: { ...scales, x: { time: false, ...(reach === null ? {} : { min: 0, max: reach }) } },
      axes: [
        axis(palette, { scale: 'x', label: 'frequency [Hz]', side: 2, grid: true, em }),
        ...units.map((unit, k) =>
          axis(palette, {
            scale: `y ${k}`,
            label: `amplitude [${unitText(unit)}]`,
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
          width: 0.093 * em,
          pxAlign: SMOOTH,
          points: { show: false },
        })),
      ],
    });
    return {
      options,
      data: [frequency, ...amplitudes.map((values) => plain(values, this.log))] as unknown as uPlot.AlignedData,
      entries: this.names.map((name, k) => ({ colour: colours[k], text: name })),
      title: `Spectrum of ${this.names[0]}`,
      note: pictureNote(run, this.options.store.state.zoom),
      method: made(first),
    };
  }

  rebuild(): void {
    this.plot?.destroy();
    const { options, data, entries, method } = this.drawing();
    this.head.replaceChildren(
      element('span', { class: 'title' }, 'Spectrum'),
      ...entries.map(({ colour, text }) => {
        const bar = element('i');
        bar.style.background = colour;
        return element('span', { class: 'series' }, bar, named(text));
      }),
      element('small', {}, method),
    );
    this.plot = new uPlot(
      {
        ...options(rem(), Math.max(160, this.body.clientWidth || 400)),
        cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false } },
      },
      data,
      this.body,
    );
  }

  tick(): void {
    // A spectrum has no current time.
  }

  zoom(): void {
    this.rebuild();
  }

  private savePicture(): void {
    savePlot(this.drawing(), readPalette());
  }

  private saveTable(): void {
    const { frequency, amplitudes } = this.lines();
    const head = [
      'frequency [Hz]',
      ...this.names.map((name) => `amplitude of ${name} [${this.options.run.column(name)?.unit ?? ''}]`),
    ]
      .map(csvField)
      .join(',');
    const rows = Array.from(frequency, (f, k) => [f, ...amplitudes.map((values) => values[k])].join(','));
    download(
      new Blob([[head, ...rows, ''].join('\n')], { type: 'text/csv' }),
      fileName(`spectrum ${this.names[0]}`, 'csv'),
    );
  }

  destroy(): void {
    this.plot?.destroy();
    this.root.remove();
  }
}
