// Opens reports in a real browser and uses them.
//
//   node tests/browser/run.mjs WHAT... [--shots FOLDER] [--server] [--frames N] [--chromium PATH]
//
// WHAT is a report, a folder of reports, or the address of a running `taut view` on 127.0.0.1.
// --server opens each report once more from a server that keeps its data beside the page.
// Ends with 1 and the names of the checks that failed.
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import * as checks from './checks.mjs';
import { packedIn, unpack } from './packed.mjs';
import { serveReport } from './serve.mjs';

const FLAGS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

function readArguments(words) {
  const options = {
    what: [],
    shots: null,
    server: false,
    frames: 1000,
    chromium: process.env.TAUT_CHROMIUM ?? '/usr/bin/chromium',
  };
  for (let k = 0; k < words.length; k += 1) {
    if (words[k] === '--shots') options.shots = words[(k += 1)];
    else if (words[k] === '--server') options.server = true;
    else if (words[k] === '--frames') options.frames = Number(words[(k += 1)]);
    else if (words[k] === '--chromium') options.chromium = words[(k += 1)];
    else options.what.push(words[k]);
  }
  if (options.what.length === 0)
    throw new Error('usage: node tests/browser/run.mjs REPORT|FOLDER|URL ... [--shots FOLDER] [--server]');
  return options;
}

async function reportsIn(what) {
  const found = [];
  for (const one of what) {
    if (/^https?:/.test(one)) found.push({ name: new URL(one).host.replace(':', '-'), url: one });
    else if ((await stat(one)).isDirectory()) {
      for (const file of (await readdir(one)).sort())
        if (file.endsWith('.html')) found.push({ name: basename(file, '.html'), file: resolve(one, file) });
    } else found.push({ name: basename(one, '.html'), file: resolve(one) });
  }
  return found;
}

/** Opens the page and does everything with it; gives the failures. */
async function use(browser, { name, url, data, options }) {
  const failures = [];
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const messages = [];
  const requested = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()))
      messages.push(message.text());
  });
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('dialog', (dialog) => {
    messages.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  context.on('request', (request) => requested.push(request.url()));
  const session = await context.newCDPSession(page);
  const check = async (what, work) => {
    try {
      const note = await work();
      console.log(`ok    ${name}: ${what}${note ? ` (${note})` : ''}`);
    } catch (error) {
      const said = String(error?.message ?? error)
        .split('\n')[0]
        .slice(0, 400);
      console.log(`FAIL  ${name}: ${what}: ${said}`);
      failures.push(`${name}: ${what}: ${said}`);
    }
  };
  const begun = Date.now();
  await check('opens', async () => {
    await page.goto(url);
    await page.evaluate(() => window.taut.ready);
    return `${((Date.now() - begun) / 1000).toFixed(2)} s`;
  });
  if (failures.length === 0) {
    await check('plays and pauses', () => checks.plays(page));
    await check('scrubs by keyboard', () => checks.scrubsByKeys(page, data));
    await check('scrubs by mouse', () => checks.scrubsByMouse(page, data));
    await check('draws the data', () => checks.drawsTheData(page, data));
    await check('picks by a click', () => checks.picksByClick(page, data));
    await check('plots a column', () => checks.plotsAColumn(page, data));
    await check('opens plots in sight', () => checks.opensInSight(page, data));
    await check('zooms plots and back', () => checks.zoomsPlots(page, data));
    await check('jumps from the summary', () => checks.jumpsFromSummary(page, data));
    await check('works by keyboard alone', () => checks.worksByKeyboard(page));
    await check('switches arrows on', () => checks.showsArrows(page, data));
    await check('marks reactions that trade load', () => checks.marksTradingSets(page, data));
    await check('keeps its memory', () => checks.keepsMemory(page, session, options.frames));
    await check('takes names as text', () => checks.isHarmless(page));
    if (options.shots) {
      await page.setViewportSize({ width: 1440, height: 900 });
      for (const theme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: theme });
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(options.shots, `${name}-${theme}.png`) });
      }
    }
  }
  await check('asks for nothing else', async () => {
    const own = new Set([url, new URL('run.taut', url).href, new URL('ghost.taut', url).href]);
    const strange = requested.filter((one) => !own.has(one) && !/^(data|blob):/.test(one));
    if (strange.length > 0) throw new Error(strange.join(', '));
    return `${requested.length} requests`;
  });
  await check('says nothing on the console', async () => {
    if (messages.length > 0) throw new Error(messages.join(' | '));
  });
  await context.close();
  return failures;
}

const options = readArguments(process.argv.slice(2));
if (options.shots) await mkdir(options.shots, { recursive: true });
const reports = await reportsIn(options.what);
const browser = await chromium.launch({ executablePath: options.chromium, args: FLAGS });
const failures = [];
for (const report of reports) {
  if (report.url) {
    const packed = Buffer.from(await (await fetch(new URL('run.taut', report.url))).arrayBuffer());
    failures.push(...(await use(browser, { name: report.name, url: report.url, data: unpack(packed), options })));
    continue;
  }
  const html = await readFile(report.file, 'utf8');
  const packed = packedIn(html, 'run');
  if (!packed) {
    failures.push(`${report.name}: holds no run`);
    continue;
  }
  const data = unpack(packed);
  failures.push(...(await use(browser, { name: report.name, url: pathToFileURL(report.file).href, data, options })));
  if (options.server) {
    const server = await serveReport(html);
    failures.push(
      ...(await use(browser, {
        name: `${report.name} served`,
        url: server.url,
        data,
        options: { ...options, shots: null, frames: 50 },
      })),
    );
    server.close();
  }
}
await browser.close();
if (reports.length === 0) failures.push('no report was found');
if (failures.length > 0) {
  console.log(`\n${failures.length} failed:\n${failures.join('\n')}`);
  process.exit(1);
}
console.log(`\n${reports.length} reports: everything works`);
