// The lines of latencies, and of costs over a parameter, in a real browser.
import assert from 'node:assert/strict';
import * as samples from './sample';
import { testsInBrowser } from './browser';
import type { Page } from 'playwright-core';

const shows = testsInBrowser();
const threads = 'latency/threads/threads=1';
const growth = encodeURIComponent('growth/set-exchange/n=1000');

function pointsOf(page: Page, chart: string, name: string): Promise<number[][]> {
  const line = page.locator(`${chart} .course[data-hides="${name}"] .stroke`).first();
  return line.evaluate((element) =>
    (element.getAttribute('points') ?? '').split(' ').map((pair) => pair.split(',').map(Number)),
  );
}

shows(
  'a nine of latency is as wide as another, and the numbers stand below',
  samples.courses,
  async (page) => {
    const [p50 = 0, p99 = 0, p999 = 0, worst = 0] = (
      await pointsOf(page, '#latency', 'heapsmith')
    ).map(([x = 0]) => x);
    assert.ok(Math.abs(p999 - p99 - (worst - p999)) < 0.5);
    assert.ok(Math.abs((p99 - p50) / (p999 - p99) - (2 - Math.log10(2))) < 0.01);
    const heads = await page.locator('#latency thead th').allTextContents();
    assert.equal(heads.length, 5);
    assert.match(heads[4] ?? '', /Worst call/);
  },
);

for (const mode of ['absolute', 'relative']) {
  shows(
    `a line leaves out the case in which its contender failed: ${mode}`,
    samples.courses,
    async (page) => {
      assert.equal((await pointsOf(page, '#families', 'tbbmalloc')).length, 2, '1 and 32 threads');
      assert.equal((await pointsOf(page, '#families', 'heapsmith')).length, 3);
    },
    { hash: `#mode=${mode}&case=${encodeURIComponent(threads)}` },
  );
}

shows(
  'published figures stand beside ours, on a log scale, and are compared with none',
  samples.courses,
  async (page) => {
    const section = page.locator('#published');
    const told = await section.locator('.course.published').getAttribute('aria-label');
    assert.match(told ?? '', /^a list of 1999, published: 1,000: 60\sns, .*100,000: 90\sns\.$/);
    const rows = section.locator('.row');
    const titles = await section.locator('figcaption').allTextContents();
    assert.deepEqual(titles, ['Time per call by n (ns)', 'Time per call (ns)']);
    assert.equal(await rows.count(), 6, 'five of ours and one published');
    const last = await rows.last().getAttribute('aria-label');
    assert.match(last ?? '', /^a list of 1999: 60\sns, published: an invented README, 1999$/);
    assert.ok(!(await page.locator('#families').innerText()).includes('1999'));
    assert.match(await section.innerText(), /Published in: an invented README, 1999\./);
  },
  { hash: `#case=${growth}` },
);

shows(
  'a case without published figures shows none',
  samples.courses,
  async (page) => {
    assert.ok(await page.locator('#published').isHidden());
  },
  { hash: `#case=${encodeURIComponent(threads)}` },
);

shows(
  'a linear scale spaces the parameter evenly, too',
  samples.courses,
  async (page) => {
    const [a = 0, b = 0, , d = 0] = (await pointsOf(page, '#families', 'heapsmith')).map(
      ([x = 0]) => x,
    );
    assert.ok(Math.abs((b - a) / (d - a) - 9 / 999) < 0.001);
  },
  { hash: `#mode=absolute&scale=linear&case=${growth}` },
);

shows('a line with the focus has a mark around it', samples.courses, async (page) => {
  await page.locator('#latency .course').first().focus();
  await page.keyboard.press('Tab');
  const width = await page
    .locator('#latency .course:focus-visible polyline.hit')
    .evaluate((element) => parseFloat(getComputedStyle(element).strokeWidth));
  assert.ok(width > 6, `${width}`);
});
