// Opens the page of a sweep, clicks a member, and expects its motion in a new page.
//
//   node tests/browser/sweep.mjs URL MEMBER --chromium PATH
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [url, member, , executablePath] = process.argv.slice(2);
const args = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath, args });
try {
  const context = await browser.newContext({ viewport: { width: 1300, height: 850 } });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  const opened = context.waitForEvent('page', { timeout: 15000 });
  await page.locator('circle.member').nth(Number(member)).click();
  const motion = await opened;
  assert.equal(motion.url(), new URL(`member/${member}/`, url).href);
  await motion.waitForSelector('.plot canvas', { timeout: 30000 });
  assert.equal(await page.locator('tr.worst').count(), 1);
  // Nothing but the run of this member was fetched, and no script failed.
  assert.deepEqual(errors, []);
} finally {
  await browser.close();
}
