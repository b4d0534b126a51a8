// What a person does with a report, done by a program: each check throws words that say what went wrong.
import assert from 'node:assert/strict';

const near = (a, b, slack, what) => assert.ok(Math.abs(a - b) <= slack, `${what}: ${a} is not ${b}`);
const time = (page) => page.evaluate(() => window.taut.time());
const frames = (page, count) =>
  page.evaluate(
    (n) =>
      new Promise((done) => {
        const next = (left) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
        next(n);
      }),
    count,
  );

export async function plays(page) {
  await page.keyboard.press('Home');
  const before = await time(page);
  await page.getByRole('button', { name: /^Play or pause/ }).click();
  await page.waitForFunction((t) => window.taut.time() > t, before, { timeout: 20_000 });
  await page
    .locator('section.scene')
    .focus()
    .catch(() => undefined);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('Space');
  await frames(page, 2);
  const stopped = await time(page);
  await frames(page, 3);
  assert.equal(await time(page), stopped, 'space did not pause');
}

export async function scrubsByKeys(page, data) {
  const t = data.filmTimes;
  await page.keyboard.press('Home');
  near(await time(page), Math.min(t[0], data.tableTimes[0] ?? t[0]), 1e-12, 'home');
  const distinct = [...new Set(t)];
  await page.evaluate((at) => window.taut.seek(at), distinct[0]);
  if (distinct.length > 2) {
    await page.keyboard.press('ArrowRight');
    near(await time(page), distinct[1], 1e-12, 'one frame on');
    await page.keyboard.press('ArrowLeft');
    near(await time(page), distinct[0], 1e-12, 'one frame back');
  }
  await page.keyboard.press('End');
  near(await time(page), Math.max(t[t.length - 1], data.tableTimes.at(-1) ?? -Infinity), 1e-12, 'end');
}

export async function scrubsByMouse(page, data) {
  const slider = page.getByRole('slider', { name: /^Time/ });
  const box = await page.locator('.timeline').boundingBox();
  const line = await slider.boundingBox();
  const begin = Math.min(data.filmTimes[0], data.tableTimes[0] ?? Infinity);
  const end = Math.max(data.filmTimes.at(-1), data.tableTimes.at(-1) ?? -Infinity);
  const y = line.y + line.height / 2;
  await page.mouse.move(box.x + 0.2 * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, y, { steps: 4 });
  await page.mouse.up();
  near(await time(page), begin + 0.6 * (end - begin), 0.004 * (end - begin) + 1e-12, 'drag of the slider');
}

export async function drawsTheData(page, data) {
  const rows = [0, 0.23, 0.5, 0.81, 1].map((part) => Math.floor(part * (data.filmTimes.length - 1)));
  const names = data.header.scene.figures.map(({ name }) => name);
  let compared = 0;
  for (const row of rows) {
    // Of several rows at one instant (both sides of an event) the page shows the last.
    let last = row;
    while (last + 1 < data.filmTimes.length && data.filmTimes[last + 1] === data.filmTimes[row]) last += 1;
    const drawn = await page.evaluate(
      ([at, list]) => {
        window.taut.seek(at);
        return list.map((name) => window.taut.drawn(name));
      },
      [data.filmTimes[last], names],
    );
    drawn.forEach((pose, figure) => {
      if (!pose || figure === 0 || names.indexOf(names[figure]) !== figure) return;
      const { p, q } = data.pose(figure, last);
      const size = Math.max(1, ...p.map(Math.abs));
      p.forEach((value, k) =>
        near(pose.p[k], value, 4e-7 * size, `row ${last}, ${names[figure].slice(0, 40)}, axis ${k}`),
      );
      if (pose.q) {
        const long = Math.hypot(...q);
        const dot = Math.abs(pose.q.reduce((sum, value, k) => sum + value * q[k], 0)) / long;
        near(dot, 1, 1e-6, `turn of ${names[figure].slice(0, 40)} in row ${last}`);
      }
      compared += 1;
    });
  }
  assert.ok(compared > 0, 'no figure could be compared');
  return `${compared} poses`;
}

export async function picksByClick(page, data) {
  const { figures, beams } = data.header.scene;
  const nodes = new Set(beams.flatMap((beam) => beam.nodes));
  const names = [
    ...figures.filter((figure, k) => k > 0 && !nodes.has(k) && figure.visuals.length > 0).map(({ name }) => name),
    ...beams.map(({ name }) => name),
  ];
  assert.ok(names.length > 0, 'nothing can be picked');
  const picked = [];
  for (const name of names.slice(0, 6)) {
    await page.keyboard.press('Escape');
    const at = await page.evaluate((one) => window.taut.project(one), name);
    assert.ok(at, `no place to click for ${name.slice(0, 40)}`);
    await page.mouse.click(at.x, at.y);
    picked.push((await page.evaluate(() => window.taut.picked())) === name);
  }
  // A body wholly behind others cannot be clicked; most can.
  const hit = picked.filter(Boolean).length;
  assert.ok(hit > 0 && hit * 2 >= picked.length, `only ${hit} of ${picked.length} clicks picked their body`);
  return `${hit} of ${picked.length} by click`;
}

export async function plotsAColumn(page, data) {
  const { columns } = data.header.table;
  const wanted =
    columns.find(({ family }) => /reaction/.test(family)) ?? columns.find(({ unit }) => unit === 'N') ?? columns[0];
  if (!wanted) return 'the run has no columns';
  const before = await page.evaluate(() => window.taut.plots());
  const search = page.getByRole('combobox', { name: /^Search for a column/ });
  await search.click();
  await search.fill(wanted.name.slice(0, 200));
  await page.keyboard.press('Shift+Enter');
  const after = await page.evaluate(() => window.taut.plots());
  assert.equal(after.length, before.length + 1, 'the search opened no plot');
  if (wanted.name.length <= 200) assert.deepEqual(after.at(-1), [wanted.name], 'the search plotted something else');
  const canvas = page.locator('.plot .u-over').last();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  const t = data.tableTimes;
  near(await time(page), (t[0] + t.at(-1)) / 2, 0.02 * (t.at(-1) - t[0]) + 1e-12, 'click in the plot');
  await page.evaluate(() => document.activeElement?.blur());
  return wanted.name.slice(0, 40);
}

export async function showsArrows(page, data) {
  const kinds = { reaction: 'reactions', contact: 'contacts', applied: 'applied', velocity: 'velocities' };
  const arrow = data.header.scene.arrows.find(({ load }) => load === 'reaction') ?? data.header.scene.arrows[0];
  if (!arrow) return 'the model has none';
  // An instant at which the arrow has a length.
  const parts = arrow.vector.map((name) => (name === '' ? null : data.column(name)));
  let best = 0;
  let most = 0;
  data.tableTimes.forEach((_, row) => {
    const size = Math.hypot(...parts.map((values) => (values && Number.isFinite(values[row]) ? values[row] : 0)));
    if (size > most) [most, best] = [size, row];
  });
  if (most === 0) return 'all arrows are zero';
  await page.evaluate((at) => window.taut.seek(at), data.tableTimes[best]);
  for (const kind of Object.values(kinds)) await page.evaluate((one) => window.taut.show(one, false), kind);
  const before = await page.evaluate(() => window.taut.stats().drawCalls);
  await page.locator('details.menu > summary').click();
  await page.locator(`details.menu label[data-kind="${kinds[arrow.load]}"] input`).click();
  await page.keyboard.press('Escape');
  await frames(page, 3);
  const after = await page.evaluate(() => window.taut.stats().drawCalls);
  assert.ok(after > before, `arrows of ${kinds[arrow.load]} add nothing to the ${before} draw calls`);
  return `${kinds[arrow.load]}, ${before} to ${after} draw calls`;
}

/** Zoom by a drag in a plot, and back. */
/** A click on a joint whose reaction is not unique names the reactions with which it trades load, and marks them. */
export async function marksTradingSets(page, data) {
  const open = data.header.scene.arrows.filter(({ trades }) => (trades ?? []).length > 0);
  if (open.length === 0) return 'all unique';
  await page.evaluate(() => window.taut.show('reactions', true));
  const words = () => page.locator('.trades').allTextContents();
  const calls = () => page.evaluate(() => window.taut.stats().drawCalls);
  await page.keyboard.press('Escape');
  assert.deepEqual(await words(), [], 'a set is named before a joint is selected');
  let named = 0;
  for (const { name, trades } of open) {
    const partners = open.filter((o) => o.name !== name && o.trades.some((set) => trades.includes(set)));
    const at = await page.evaluate((one) => window.taut.project(one), name);
    if (!at || partners.length === 0) continue;
    await page.mouse.click(at.x, at.y);
    await page.waitForTimeout(150);
    if ((await page.evaluate(() => window.taut.picked())) !== name) continue;
    const [text] = await words();
    assert.ok(text?.startsWith(`${name} trades load with `), `${name}: ${text}`);
    assert.ok(text.includes(partners[0].name), `${partners[0].name} is missing in "${text}"`);
    named += 1;
  }
  assert.ok(named > 0 && (await calls()) > 0, `no click selected one of ${open.map(({ name }) => name).join(', ')}`);
  await page.keyboard.press('Escape');
  await page.waitForTimeout(100);
  assert.deepEqual(await words(), [], 'the set stays when nothing is selected');
  await page.evaluate(() => window.taut.show('reactions', false));
  return `${named} of ${open.length} joints`;
}

export async function zoomsPlots(page, data) {
  const canvas = page.locator('.plot .u-over').first();
  if ((await canvas.count()) === 0) return 'the run has no plot';
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const y = box.y + 0.5 * box.height;
  await page.mouse.move(box.x + 0.3 * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, y, { steps: 5 });
  await page.mouse.up();
  const whole = page.getByRole('button', { name: /^Show the whole run/ });
  assert.ok(await whole.isVisible(), 'a drag did not zoom');
  await whole.click();
  assert.ok(!(await whole.isVisible()), 'the zoom was not taken back');
}

/** A new spectrum opens where it can be seen, and Esc leaves the search box. */
export async function opensInSight(page, data) {
  if (data.header.table.columns.length === 0) return 'the run has no columns';
  await page.getByRole('button', { name: /^Spectrum/ }).click();
  const last = page.locator('.plot').last();
  await page.waitForFunction(() => {
    const plot = [...document.querySelectorAll('.plot')].at(-1);
    const box = plot.getBoundingClientRect();
    const panel = plot.closest('.panel').getBoundingClientRect();
    return box.top >= panel.top - box.height / 2 && box.bottom <= panel.bottom + 2;
  });
  await last.getByRole('button', { name: 'Close this plot' }).click();
  const search = page.getByRole('combobox', { name: /^Search for a column/ });
  await search.click();
  await page.keyboard.press('Escape');
  assert.ok(!(await search.evaluate((input) => input === document.activeElement)), 'Esc stays in the search box');
}

/** A line of the table of extremes leads to its time and its element. */
export async function jumpsFromSummary(page, data) {
  await page.getByRole('tab', { name: 'Summary' }).click();
  const { summary } = data.header;
  // What is zero all the time is left out of the table.
  const extremes = data.header.extremes.filter(({ least, largest }) => least !== 0 || largest !== 0);
  const shown = await page.locator('pre.model').textContent();
  assert.equal(shown, summary.model, 'the model file is not shown as it is');
  let note = 'the run has no extremes';
  if (extremes.length > 0) {
    const table = page.getByRole('table', { name: /^Extremes/ });
    const row = table.locator('tbody tr').first();
    await row
      .getByRole('button', { name: /^Jump to/ })
      .first()
      .click();
    near(await time(page), extremes[0].largest_at, 1e-9, 'jump to the largest value');
    const sizes = extremes.map(({ largest }) => largest).filter(Number.isFinite);
    await table.getByRole('columnheader', { name: 'largest' }).getByRole('button').click();
    const first = await table.locator('tbody tr').first().locator('td').first().textContent();
    const best = extremes.find(({ largest }) => largest === Math.max(...sizes));
    assert.ok(
      first === best.name ||
        best.name.length > 60 ||
        extremes.some(({ name, largest }) => name === first && largest === best.largest),
      `sorted by largest, ${first} stands above ${best.name}`,
    );
    note = `${extremes.length} extremes`;
  }
  await page.getByRole('tab', { name: 'Plots' }).click();
  return note;
}

/** Everything without a mouse: help, picking, walking through all controls, each with a name and a visible focus. */
export async function worksByKeyboard(page) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('?');
  assert.ok(await page.getByRole('dialog').isVisible(), 'no help appeared');
  await page.keyboard.press('Escape');
  assert.ok(!(await page.getByRole('dialog').isVisible()), 'the help stayed');
  await page.keyboard.press('n');
  assert.ok(await page.evaluate(() => window.taut.picked()), 'n picked nothing');
  const seen = new Set();
  for (let k = 0; k < 40; k += 1) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body) return null;
      const style = getComputedStyle(at);
      const name =
        at.getAttribute('aria-label') ||
        at.textContent?.trim() ||
        at.closest('label')?.textContent?.trim() ||
        at.getAttribute('title');
      return {
        tag: at.tagName,
        name: (name ?? '').slice(0, 50),
        outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
      };
    });
    if (!focus) continue;
    assert.ok(focus.name, `a ${focus.tag} can be focused but has no name`);
    assert.ok(focus.outlined, `the focus on ${focus.tag} ${focus.name} is not visible`);
    seen.add(`${focus.tag} ${focus.name}`);
  }
  assert.ok(seen.size >= 15, `only ${seen.size} controls can be reached`);
  await page.evaluate(() => document.activeElement?.blur());
  return `${seen.size} controls`;
}

/** A thousand frames in a small window: what the renderer holds stays the same, the heap does not grow. */
export async function keepsMemory(page, session, count = 1000) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 700, height: 480 });
  const run = (n) =>
    page.evaluate(async (many) => {
      const line = document.querySelector('.timeline input');
      const [begin, end] = [Number(line.min), Number(line.max)];
      for (let k = 0; k < many; k += 1) {
        window.taut.seek(begin + ((k * 0.0137) % 1) * (end - begin));
        if (k % 10 === 9) await new Promise((done) => requestAnimationFrame(done));
      }
    }, n);
  const measure = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return { heap: usedSize, ...(await page.evaluate(() => window.taut.stats())) };
  };
  await run(100);
  const before = await measure();
  await run(count);
  const after = await measure();
  await page.setViewportSize(size);
  const grown = (after.heap - before.heap) / 1e6;
  assert.ok(after.frames - before.frames >= count, `only ${after.frames - before.frames} frames were drawn`);
  assert.equal(after.geometries, before.geometries, 'geometries were left behind');
  assert.equal(after.textures, before.textures, 'textures were left behind');
  assert.ok(grown < 1.5, `the heap grew by ${grown.toFixed(2)} MB over ${count} frames`);
  return `heap ${grown >= 0 ? '+' : ''}${grown.toFixed(2)} MB, ${after.geometries} geometries`;
}

export async function isHarmless(page) {
  const hurt = await page.evaluate(() => window.hurt);
  assert.equal(hurt, undefined, 'a name in the model ran as a script');
  const scripts = await page.evaluate(() => document.querySelectorAll('script:not([type])').length);
  assert.equal(scripts, 1, 'the page holds a script that is not its own');
}
