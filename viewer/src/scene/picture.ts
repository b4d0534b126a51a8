/** The scene as an image file: large enough to print, with title, time and a scale bar. */

import { length, niceBelow } from '../math/format.ts';
import { shorten } from '../dom.ts';
import type { Palette } from '../state/palette.ts';

/** Minimum width of a saved picture in pixels. */
const WIDTH = 1920;

/** Pixels of the picture per pixel of the screen, at least one. */
export function pictureRatio(width: number, screenRatio: number): number {
  return Math.max(screenRatio, Math.ceil((WIDTH / Math.max(1, width)) * 100) / 100);
}

export interface Caption {
  title: string;
  time: string;
  /** World length per pixel of the picture, at the target of the camera. */
  pixel: number;
  /** In perspective, the scale bar is correct at one depth only and is labelled so. */
  depth: 'any' | 'middle';
}

/** A scale bar of round length, at most a fifth of the picture wide. */
export function scaleBar(pixel: number, width: number): { pixels: number; metres: number } {
  const metres = niceBelow((pixel * width) / 5);
  return { pixels: metres / pixel, metres };
}

/** A copy of the drawn scene with its caption below. */
export function captioned(source: HTMLCanvasElement, caption: Caption, palette: Palette): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const size = Math.round(source.width / 64);
  canvas.width = source.width;
  canvas.height = source.height + 2.6 * size;
  const pen = canvas.getContext('2d');
  if (!pen) return source;
  pen.fillStyle = palette.sheet;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(source, 0, 0);
  const y = source.height + 1.3 * size;
  const family = 'px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
  pen.fillStyle = palette.line;
  pen.fillRect(0, source.height, canvas.width, Math.max(1, size / 16));
  pen.textBaseline = 'middle';
  pen.fillStyle = palette.ink;
  pen.font = `600 ${size}${family}`;
  const title = shorten(caption.title, 70);
  pen.fillText(title, size, y, 0.5 * canvas.width);
  const after = size + Math.min(0.5 * canvas.width, pen.measureText(title).width) + 1.5 * size;
  pen.font = `${size}${family}`;
  pen.fillText(caption.time, after, y);
  const bar = scaleBar(caption.pixel, canvas.width);
  const text = `${length(bar.metres)}${caption.depth === 'middle' ? ' (in the middle)' : ''}`;
  const right = canvas.width - size;
  pen.textAlign = 'right';
  pen.fillText(text, right, y);
  const end = right - pen.measureText(text).width - 0.6 * size;
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 0.12 * size;
  pen.beginPath();
  pen.moveTo(end - bar.pixels, y - 0.35 * size);
  pen.lineTo(end - bar.pixels, y + 0.35 * size);
  pen.moveTo(end - bar.pixels, y);
  pen.lineTo(end, y);
  pen.moveTo(end, y - 0.35 * size);
  pen.lineTo(end, y + 0.35 * size);
  pen.stroke();
  return canvas;
}
