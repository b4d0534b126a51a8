// Makes an animated picture of a report: node scripts/animate.mjs REPORT.html PICTURE.gif [options]
//
//   --frames N        pictures in all (48)
//   --from T --to T   part of the run that is shown (all of it)
//   --size WxH        window (760x480)
//   --pick NAME       element that is selected
//   --show KINDS      what is drawn besides bodies, such as reactions,traces
//   --plot COLUMNS    columns of one plot
//   --chromium PATH   browser
//
// The picture repeats, so choose a whole number of periods.
import gifenc from 'gifenc';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { PNG } from 'pngjs';

const { GIFEncoder, applyPalette, quantize } = gifenc;
const FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking'];
const FRAME_MS = 50;

function readArguments(words) {
  const options = {
    files: [],
    frames: 48,
    from: null,
    to: null,
    size: '760x480',
    pick: null,
    show: null,
    plot: null,
    chromium: process.env.TAUT_CHROMIUM ?? '/usr/bin/chromium',
  };
  for (let k = 0; k < words.length; k += 1) {
    const name = words[k].replace(/^--/, '');
    if (!words[k].startsWith('--')) options.files.push(words[k]);
    else if (name in options && name !== 'files') options[name] = words[(k += 1)];
    else throw new Error(`unknown option ${words[k]}`);
  }
  if (options.files.length !== 2) throw new Error('usage: node scripts/animate.mjs REPORT.html PICTURE.gif');
  return options;
}

const options = readArguments(process.argv.slice(2));
const [width, height] = options.size.split('x').map(Number);
const browser = await chromium.launch({ executablePath: options.chromium, args: FLAGS });
const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' });
await page.goto(pathToFileURL(resolve(options.files[0])).href);
await page.evaluate(() => window.taut.ready);
if (options.pick) await page.evaluate((name) => window.taut.pick(name), options.pick);
for (const kind of options.show?.split(',') ?? []) await page.evaluate((name) => window.taut.show(name, true), kind);
if (options.plot) await page.evaluate((columns) => window.taut.plot(columns), options.plot.split(','));
const range = await page.evaluate(() => {
  window.taut.seek(-Infinity);
  const from = window.taut.time();
  window.taut.seek(Infinity);
  return [from, window.taut.time()];
});
const from = Number(options.from ?? range[0]);
const to = Number(options.to ?? range[1]);
const frames = Number(options.frames);
const gif = GIFEncoder();
let palette = null;
for (let k = 0; k < frames; k += 1) {
  await page.evaluate((t) => window.taut.seek(t), from + ((to - from) * k) / frames);
  const { data } = PNG.sync.read(await page.screenshot());
  // One palette for all frames: colours do not flicker, and unchanged pixels compress well.
  palette ??= quantize(data, 128);
  gif.writeFrame(applyPalette(data, palette), width, height, { palette: k === 0 ? palette : undefined, delay: FRAME_MS });
}
gif.finish();
await writeFile(options.files[1], gif.bytes());
await browser.close();
