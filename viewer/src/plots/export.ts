/** Plots as files: the picture with its legend, the numbers as CSV. */

import uPlot from 'uplot';
import type { Run } from '../data/run.ts';
import { download, fileName, shorten } from '../dom.ts';
import { csvField, instant } from '../math/format.ts';
import type { Palette } from '../state/palette.ts';

/** Draws a plot at any size: `em` is the font size, to which everything else is relative. */
export interface Drawing {
  options: (em: number, width: number) => uPlot.Options;
  data: uPlot.AlignedData;
  entries: { colour: string; text: string; dash?: boolean }[];
  title: string;
  /** Origin of the numbers: model and time range. */
  note: string;
}

/** Wide enough for a printed page. */
const PICTURE_WIDTH = 1800;
/** Font size in pixels at that width. */
const PICTURE_EM = 34;

/** Breaks the legend into lines no wider than the picture. */
function laidOut(widths: number[], room: number): number[][] {
  const lines: number[][] = [[]];
  let used = 0;
  widths.forEach((width, k) => {
    if (used + width > room && lines[lines.length - 1].length > 0) {
      lines.push([]);
      used = 0;
    }
    lines[lines.length - 1].push(k);
    used += width;
  });
  return lines;
}

/** The plot redrawn at the size of a picture, below its title and legend. */
export function savePlot(drawing: Drawing, palette: Palette): void {
  const ratio = window.devicePixelRatio || 1;
  const em = PICTURE_EM / ratio;
  const options = drawing.options(em, PICTURE_WIDTH / ratio);
  const drawn = new uPlot(
    {
      ...options,
      height: Math.max(options.height, 0.42 * options.width),
      cursor: { show: false },
      hooks: {
        ...options.hooks,
        ready: [
          (self) => {
            compose(self.ctx.canvas, drawing, palette);
            queueMicrotask(() => drawn.destroy());
          },
        ],
      },
    },
    drawing.data,
    document.createElement('div'),
  );
}

function compose(source: HTMLCanvasElement, { entries, title, note }: Drawing, palette: Palette): void {
  const size = 0.9 * PICTURE_EM;
  const family = 'px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.font = `${size}${family}`;
  const texts = entries.map(({ text }) => shorten(text, 60));
  const lines = laidOut(
    texts.map((text) => 2.8 * size + pen.measureText(text).width),
    source.width - size,
  ).filter((line) => line.length > 0);
  const head = Math.round((2 + 1.5 * lines.length) * size);
  canvas.width = source.width;
  canvas.height = source.height + head + Math.round(0.6 * size);
  pen.fillStyle = palette.sheet;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.textBaseline = 'middle';
  pen.fillStyle = palette.ink;
  pen.font = `600 ${1.1 * size}${family}`;
  const shown = shorten(title, 60);
  pen.fillText(shown, size, 1.1 * size);
  const after = size + pen.measureText(shown).width;
  pen.font = `${size}${family}`;
  pen.fillStyle = palette.muted;
  pen.textAlign = 'right';
  pen.fillText(note, canvas.width - size, 1.1 * size, Math.max(1, canvas.width - 2.5 * size - after));
  pen.textAlign = 'left';
  lines.forEach((line, row) => {
    const y = (2.6 + 1.5 * row) * size;
    let x = size;
    for (const k of line) {
      pen.strokeStyle = entries[k].colour;
      pen.lineWidth = 0.16 * size;
      pen.setLineDash(entries[k].dash ? [0.3 * size, 0.2 * size] : []);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + 1.2 * size, y);
      pen.stroke();
      pen.fillStyle = palette.ink;
      pen.fillText(texts[k], x + 1.6 * size, y);
      x += 2.8 * size + pen.measureText(texts[k]).width;
    }
  });
  pen.drawImage(source, 0, head);
  canvas.toBlob((blob) => {
    if (blob) download(blob, fileName(title, 'png'));
  });
}

/** Caption of the picture: model and time range. */
export function pictureNote(run: Run, zoom: [number, number] | null): string {
  const span = run.end - run.begin;
  const [from, to] = zoom ?? [run.begin, run.end];
  const model = shorten(run.header.summary.title || run.header.scene.title, 60);
  return `${model}${model === '' ? '' : ', '}${instant(from, span)} s to ${instant(to, span)} s`;
}

/** The table as CSV: times and columns, with the full precision of the page. */
export function csvText(run: Run, columns: string[], zoom: [number, number] | null): string {
  const series = columns.map((name) => run.values(name));
  const head = ['t [s]', ...columns.map((name) => `${name} [${run.column(name)?.unit ?? ''}]`)].map(csvField).join(',');
  const lines = [head];
  for (let k = 0; k < run.times.length; k += 1) {
    const t = run.times[k];
    if (zoom && (t < zoom[0] || t > zoom[1])) continue;
    lines.push(
      [t, ...series.map((values) => (values ? values[k] : NaN))]
        .map((value) => (Number.isFinite(value) ? String(value) : ''))
        .join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

export function saveCsv(run: Run, columns: string[], zoom: [number, number] | null): void {
  download(new Blob([csvText(run, columns, zoom)], { type: 'text/csv' }), fileName(columns[0] ?? 'columns', 'csv'));
}
