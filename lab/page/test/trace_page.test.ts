// The page of recorded traces in a real browser: brushing, filtering, the flame graph, the diff.
import assert from 'node:assert/strict';
import * as samples from './sample';
import { assertFits, count, theme, testsInBrowser } from './browser';
import { one, two } from './traces';
import type { Page } from 'playwright-core';

const shows = testsInBrowser();
const traces = one;

function hash(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash);
}

async function text(page: Page, selector: string): Promise<string> {
  return ((await page.locator(selector).first().textContent()) ?? '').replaceAll('\u00a0', ' ');
}

/** The names of the sites in the table, in its order. */
function sites(page: Page): Promise<(string | null)[]> {
  return page
    .locator('table.sites tbody th > span')
    .evaluateAll((all) => all.map((it) => it.textContent));
}

async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = await page.locator('#live .plane').boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, y, { steps: 5 });
  await page.mouse.up();
}

shows(
  'a trace alone has its answer at the top, and no part of results',
  null,
  async (page) => {
    assert.equal(await text(page, 'h1'), one.traces[0]?.headline);
    assert.match(await page.title(), /^app\.trace had at most/);
    assert.equal(await count(page, '#measured section, #method'), 0);
    assert.ok(await page.locator('#trace-method').isVisible());
    assert.match(await text(page, '#recording'), /12 events are missing/);
    assert.match(await text(page, '#live svg'), /Peak 11\.\d MiB/);
  },
  { traces },
);

shows(
  'a drag chooses a part of the time, and all sections follow',
  null,
  async (page) => {
    assert.equal((await sites(page)).length, 5);
    const bars = (): Promise<(string | null)[]> =>
      page.locator('#shapes .bar').evaluateAll((all) => all.map((b) => b.getAttribute('height')));
    const before = await bars();
    await drag(page, 5 / 64 + 0.001, 15 / 64 - 0.001);
    assert.equal(hash(page), '#span=5-15');
    assert.equal(await text(page, '.span-text'), '5.00 ms to 15.0 ms');
    assert.deepEqual(await sites(page), [
      'parse',
      'png_create',
      '31 other sites',
      'load_file(unsigned long)',
    ]);
    assert.equal(await text(page, 'table.sites tbody tr td'), '20,000');
    assert.notDeepEqual(await bars(), before);
    assert.match(await text(page, '.threads tbody tr:nth-child(2)'), /Thread 20/);
    await page.keyboard.press('Escape');
    assert.equal(hash(page), '');
    assert.equal((await sites(page)).length, 5);
    await drag(page, 0.9, 0.5);
    assert.match(hash(page), /^#span=32-5\d$/);
    await page.getByRole('button', { name: 'Show all of the time' }).click();
    assert.equal(hash(page), '');
  },
  { traces },
);

shows(
  'the pointer shows what was alive',
  null,
  async (page) => {
    const plane = page.locator('#live .plane');
    await plane.scrollIntoViewIfNeeded();
    const width = (await plane.boundingBox())?.width ?? 0;
    await plane.hover({ position: { x: (width * 30.5) / 64, y: 40 } });
    const tip = await text(page, '.tip');
    assert.match(tip, /^30\.5 ms/);
    assert.match(tip, /load_file\(unsigned long\)6\.00 MiB/);
    assert.match(tip, /parse4\.\d+ MiB/);
    await page.mouse.move(2, 2);
    assert.equal(await count(page, '.tip'), 0);
  },
  { traces },
);

shows(
  'a column sorts, and a search text filters',
  null,
  async (page) => {
    await page.getByRole('button', { name: 'Never freed' }).click();
    assert.equal(hash(page), '#by=left');
    assert.equal((await sites(page))[0], 'png_create');
    const sorted = page.locator('table.sites th[aria-sort="descending"]');
    assert.equal(await sorted.textContent(), 'Never freed');
    await page.getByRole('searchbox').fill('parse');
    assert.deepEqual(await sites(page), ['parse']);
    await page.getByRole('searchbox').fill('nothing of the kind');
    assert.match(await text(page, '#sites .content'), /No site has this/);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('radio', { name: 'Only mine' }).check({ force: true });
    assert.ok((await sites(page)).includes('System libraries alone'));
    assert.equal(hash(page), '#by=left&code=own');
  },
  { traces },
);

shows(
  'the flame graph widens a call, turns over and hides system code',
  null,
  async (page) => {
    const call = (name: string) => page.locator(`.call[aria-label^="${name}"]`).first();
    assert.equal(await count(page, '.flame'), 0);
    await page.getByRole('radio', { name: 'Flame graph' }).check({ force: true });
    const wide = async (name: string): Promise<number> =>
      (await call(name).boundingBox())?.width ?? 0;
    const before = await wide('parse');
    await call('parse').click();
    assert.ok((await wide('parse')) > before + 100);
    await page.getByRole('button', { name: 'Show all calls' }).click();
    assert.ok(Math.abs((await wide('parse')) - before) < 1);
    assert.ok((await count(page, '.call[aria-label^="std::"]')) > 0);
    await page.getByRole('radio', { name: 'Only mine' }).check({ force: true });
    assert.equal(await count(page, '.call[aria-label^="std::"]'), 0);
    await page.getByRole('radio', { name: 'Calls' }).check({ force: true });
    const [top, main] = await Promise.all([
      call('parse').boundingBox(),
      call('main').boundingBox(),
    ]);
    assert.ok((top?.y ?? 0) < (main?.y ?? 0));
    assert.equal(hash(page), '#sites=flame&flame=calls&code=own');
  },
  { traces },
);

shows(
  'the keyboard chooses times and walks through the flame graph',
  null,
  async (page) => {
    await page.locator('#live .plane').focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowRight');
    assert.match(await text(page, '.tip'), /^4\.\d+ ms/);
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Shift+ArrowRight');
    assert.equal(hash(page), '#sites=flame&span=4-7');
    await page.keyboard.press('Escape');
    assert.equal(hash(page), '#sites=flame');
    await page.locator('.call[tabindex="0"]').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    const label = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.match((await label()) ?? '', /^(load_file|parse|visit)/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show all calls' }).waitFor();
    assert.match((await label()) ?? '', /^(load_file|parse|visit)/);
    await page.keyboard.press('Escape');
    assert.equal(await count(page, '.chip.plain'), 0);
  },
  { traces, hash: '#sites=flame' },
);

shows(
  'two traces show what changed, and either of them',
  null,
  async (page) => {
    assert.equal(await text(page, 'h1'), two.changes.headline);
    assert.equal(await count(page, '#changes .most.of-two'), 2);
    assert.match(await text(page, '#changes tbody tr:nth-child(2)'), /^parse.*\+32,000/);
    assert.match(await text(page, '#changes tbody tr:nth-child(3)'), /gone.*new/);
    assert.match(await text(page, '#summary h2'), /^new\.trace/);
    await page.getByRole('combobox', { name: 'Trace' }).selectOption('old.trace');
    assert.match(await text(page, '#summary h2'), /^old\.trace/);
    assert.equal(hash(page), '#trace=old.trace');
  },
  { traces: two },
);

shows(
  'results and a trace share a page',
  samples.program,
  async (page) => {
    assert.equal(await text(page, 'h1'), samples.program.verdict.headline);
    assert.equal(await text(page, '#summary h2'), one.traces[0]?.headline);
    assert.ok((await count(page, '#scatter, #live, #method, #trace-method')) === 4);
  },
  { traces },
);

shows(
  'a link restores the view of a trace, in dark colours and on paper',
  null,
  async (page) => {
    assert.equal(await theme(page), 'dark');
    assert.equal(await text(page, '.span-text'), '8.00 ms to 12.0 ms');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'parse');
    assert.ok((await page.pdf({ format: 'A4' })).length > 20_000);
  },
  { traces, hash: '#theme=dark&span=8-12&find=parse' },
);

for (const [name, data] of [
  ['one trace', one],
  ['two traces', two],
] as const) {
  for (const view of ['', '#sites=flame']) {
    shows(`${name}${view} fit into narrow and wide windows`, null, assertFits, {
      traces: data,
      hash: view,
    });
  }
}

shows(
  'without scripts the limits of a trace stay readable',
  null,
  async (page) => {
    assert.ok(await page.locator('noscript .notice').isVisible());
    assert.equal(await count(page, '#live, #sites'), 0);
  },
  { traces, javaScriptEnabled: false },
);

const hostile = '<img src=x onerror=alert(1)></script>';
const attacked = JSON.parse(
  JSON.stringify(two).replaceAll('parse', hostile.replaceAll('"', "'")),
) as unknown;
shows(
  'hostile names of functions stay text',
  null,
  async (page) => {
    assert.equal(await page.locator('img').count(), 0);
    assert.ok((await page.getByText(hostile).count()) > 1);
  },
  { traces: attacked },
);
