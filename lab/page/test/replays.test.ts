// The sections of replays, and of cases that differ in one number, in a real browser.
import assert from 'node:assert/strict';
import * as samples from './sample';
import { count, testsInBrowser } from './browser';

const shows = testsInBrowser();
const marksOf = (name: string): string => `.chart [data-hides="${name}"]`;

shows('a replay stands beside the real runs', samples.recorded, async (page) => {
  const section = page.locator('#foretold');
  const row = section.locator('tr', { hasText: 'tbbmalloc' });
  assert.match((await row.textContent()) ?? '', /4\.\d+.s.*replay cannot decide/);
  assert.doesNotMatch(
    (await section.locator('tr', { hasText: 'heapsmith' }).textContent()) ?? '',
    /cannot decide/,
  );
  assert.equal(await section.locator('tbody tr').count(), 6, 'not the baseline');
});

shows('the parts of the memory at the peak add up', samples.recorded, async (page) => {
  assert.equal(await page.locator('#parts').isVisible(), false, 'the real runs have none');
  await page.getByRole('combobox', { name: 'Workload' }).selectOption('g++ (replay)');
  const rows = page.locator('#parts tbody tr');
  const heapsmith = rows.filter({ hasText: 'heapsmith' });
  assert.match((await heapsmith.textContent()) ?? '', /50\.5.MiB1\.2640\.0.MiB3\.00.MiB1\.00.MiB/);
  assert.match(
    (await rows.filter({ hasText: 'gperftools' }).textContent()) ?? '',
    /52\.0.MiB1\.30/,
  );
  const widths = await page
    .locator('#parts [data-hides="heapsmith"] .part')
    .evaluateAll((all) => all.map((it) => Number(it.getAttribute('width'))));
  assert.equal(widths.length, 6);
  const [asked = 0, rounding = 0] = widths;
  assert.ok(Math.abs(asked / rounding - 40 / 3) < 0.01, String(widths));
});

shows('latencies are lines, rarer calls to the right', samples.recorded, async (page) => {
  assert.equal(await page.locator('#latency').isVisible(), false, 'real runs have none');
  await page.getByRole('combobox', { name: 'Workload' }).selectOption('g++ (replay)');
  await page.locator('input[value="absolute"]').check({ force: true });
  const course = page.locator('#latency .course[data-hides="heapsmith"]');
  assert.match(
    (await course.getAttribute('aria-label')) ?? '',
    /50 %: 10.6.ns, 99 %: 106.ns, 99.9 %: 1062.ns, worst: 10,620.ns/,
  );
  const points = (await course.locator('.stroke').getAttribute('points')) ?? '';
  const places = points.split(' ').map((pair) => pair.split(',').map(Number));
  assert.equal(places.length, 4);
  // On a log axis equal factors are equal steps.
  const steps = places.slice(1).map(([, y = 0], i) => (places[i]?.[1] ?? 0) - y);
  assert.ok(
    steps.every((step) => Math.abs(step - (steps[0] ?? 0)) < 0.5),
    String(steps),
  );
});

shows('cases that differ in one number make a line', samples.suite, async (page) => {
  assert.equal(await page.locator('#families').isVisible(), false, 'tiny-objects has one case');
  const workload = page.getByRole('combobox', { name: 'Workload' });
  await workload.selectOption('server-heirs · 5 threads');
  const figures = page.locator('#families figure');
  assert.equal(await figures.count(), 4, 'one for each metric');
  assert.match((await figures.first().textContent()) ?? '', /Wall time by threads/);
  const course = figures.first().locator('.course[data-hides="heapsmith"] .stroke');
  const points = (await course.getAttribute('points')) ?? '';
  assert.equal(points.split(' ').length, 4, '1, 2, 5 and 10 threads');
  await figures.first().locator('.course[data-hides="heapsmith"]').press('Enter');
  assert.equal(await count(page, marksOf('heapsmith')), 0);
});
