/** Plots as files: the picture with its legend, the numbers as CSV. */

import type { Run } from '../data/run.ts';
import { download, fileName, shorten } from '../dom.ts';
import { csvField } from '../math/format.ts';
import type { Palette } from '../state/palette.ts';

export function saveCanvas(
  source: HTMLCanvasElement,
  entries: { colour: string; text: string }[],
  title: string,
  palette: Palette,
): void {
  const ratio = window.devicePixelRatio || 1;
  const size = 13 * ratio;
  const head = Math.round((entries.length > 0 ? 2.1 : 0.5) * size);
  const canvas = document.createElement('canvas');
  canvas.width = source.width;
  canvas.height = source.height + head;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.fillStyle = palette.sheet;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.font = `${size}px system-ui, sans-serif`;
  pen.textBaseline = 'middle';
  let x = size;
  for (const { colour, text } of entries) {
    const shown = shorten(text, 40);
    pen.fillStyle = colour;
    pen.fillRect(x, head / 2 - 1.5 * ratio, 1.2 * size, 3 * ratio);
    pen.fillStyle = palette.ink;
    pen.fillText(shown, x + 1.6 * size, head / 2);
    x += 2.6 * size + pen.measureText(shown).width;
  }
  pen.drawImage(source, 0, head);
  canvas.toBlob((blob) => {
    if (blob) download(blob, fileName(title, 'png'));
  });
}

/** Text of the table: instants and columns, full precision of what the page holds. */
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
