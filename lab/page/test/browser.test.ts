// The page in a real browser: what the reader presses, points at, types and pastes.
import assert from 'node:assert/strict';
import * as samples from './sample';
import { count, theme, testsInBrowser } from './browser';
import type { Page } from 'playwright-core';

const shows = testsInBrowser();

function hash(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash);
}

const marksOf = (name: string): string => `.chart [data-hides="${name}"]`;
shows('the verdict stands at the top, as the command wrote it', samples.program, async (page) => {
  const { headline, goals, advice } = samples.program.verdict;
  // Spaces before units do not break.
  const spaced = async (selector: string): Promise<string | undefined> =>
    (await page.locator(selector).first().textContent())?.replaceAll('\u00a0', ' ');
  assert.equal(await spaced('h1'), headline);
  assert.equal(await spaced('.goal dd'), goals[0]?.['sentence']);
  assert.equal(await page.locator('.paste code').textContent(), advice?.['line']);
  const top = await page.locator('h1').boundingBox();
  assert.ok(top !== null && top.y < 200);
});

shows('the button copies the line to paste', samples.program, async (page) => {
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const pasted = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(pasted, samples.program.verdict.advice?.['line']);
});

shows('without a clipboard the button selects the line', samples.program, async (page) => {
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: () => Promise.reject(new Error('refused')) },
    });
  });
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Press Ctrl+C' }).waitFor();
  const selected = await page.evaluate(() => getSelection()?.toString());
  assert.equal(selected, samples.program.verdict.advice?.['line']);
});

shows('advice for the code says where, what and how', samples.server, async (page) => {
  const section = page.locator('#advice');
  assert.match((await section.textContent()) ?? '', /redis-server/);
  const piece = section.locator('.piece');
  assert.equal(await piece.locator('h4').textContent(), 'an arena');
  assert.equal(
    await piece.locator('strong').textContent(),
    'time −12.0 % [−14.0 %, −11.0 %], peak +3.0 % [+1.0 %, +4.0 %]',
  );
  const code = await piece.locator('pre').allTextContents();
  assert.deepEqual(code, [
    'node* made = new node(<text>);',
    'heapsmith::arena memory;\nmemory.reset();',
  ]);
  assert.match((await section.textContent()) ?? '', /Another malloc: jemalloc: time −12\.0 %/);
  const line = section.getByText('LD_PRELOAD=libjemalloc.so.2 redis-server');
  assert.equal(await line.count(), 1);
});

shows('a press on a point hides its contender everywhere', samples.server, async (page) => {
  assert.ok((await count(page, marksOf('jemalloc-debian'))) >= 6);
  await page.locator(`#scatter [data-hides="jemalloc-debian"] .own`).click();
  assert.equal(await count(page, marksOf('jemalloc-debian')), 0);
  assert.equal(await page.locator('#bars tbody').getByText('jemalloc-debian').count(), 0);
  assert.equal(await page.locator('#curves tbody').getByText('jemalloc-debian').count(), 0);
  const chip = page.locator('.chip', { hasText: 'jemalloc-debian' });
  assert.equal(await chip.getAttribute('aria-pressed'), 'false');
  assert.equal(hash(page), '#hide=jemalloc-debian');
  await chip.click();
  assert.ok((await count(page, marksOf('jemalloc-debian'))) >= 6);
});

shows('bars, names in tables and names of curves hide, too', samples.server, async (page) => {
  await page.locator('#bars .row[data-hides="glibc"]').first().click();
  await page.locator('#curves tbody [data-hides="tbbmalloc"]').click();
  await page.locator('.line-names [data-hides="gperftools"]').click();
  assert.equal(hash(page), '#hide=glibc&hide=tbbmalloc&hide=gperftools');
  await page.getByRole('button', { name: 'Show all', exact: true }).click();
  assert.equal(hash(page), '');
});

shows('log and linear scales place points differently', samples.server, async (page) => {
  const places = (): Promise<(string | null)[]> =>
    page.locator('#scatter .own').evaluateAll((all) => all.map((m) => m.getAttribute('transform')));
  const log = await places();
  await page.getByRole('radio', { name: 'Linear' }).check({ force: true });
  assert.notDeepEqual(await places(), log);
  assert.equal(hash(page), '#scale=linear');
});

shows('absolute values have units', samples.program, async (page) => {
  await page.getByRole('radio', { name: 'Absolute' }).check({ force: true });
  assert.match((await page.locator('#bars figcaption').first().textContent()) ?? '', /\(s\)/);
  assert.match((await page.locator('#bars .value').nth(1).textContent()) ?? '', /\d\ss/);
});

shows('another baseline shows ratios without outcomes', samples.program, async (page) => {
  assert.ok((await count(page, '#bars td.is-better')) > 0);
  await page.getByRole('combobox', { name: 'Baseline' }).selectOption('tbbmalloc');
  assert.equal(await count(page, '#bars td.is-better, #bars td.is-worse'), 0);
  assert.match((await page.locator('#bars tbody').textContent()) ?? '', /0\.\d+×/);
  assert.match((await page.locator('.rules').textContent()) ?? '', /compare with tbbmalloc/);
  await page.locator('#bars .row[data-hides="glibc"]').first().hover();
  assert.doesNotMatch((await page.locator('.tip').textContent()) ?? '', /better|worse|differen/);
});

shows(
  'a link restores the whole view',
  samples.server,
  async (page) => {
    assert.equal(await theme(page), 'dark');
    assert.equal(await page.getByRole('combobox', { name: 'Baseline' }).inputValue(), 'glibc');
    assert.ok(await page.getByRole('radio', { name: 'Absolute' }).isChecked());
    assert.ok(await page.getByRole('radio', { name: 'Linear' }).isChecked());
    assert.equal(await count(page, marksOf('tbbmalloc')), 0);
    assert.equal(await count(page, '#curves .tools button'), 1);
  },
  { hash: '#baseline=glibc&scale=linear&mode=absolute&theme=dark&range=20-40&hide=tbbmalloc' },
);

shows('the back of a changed hash changes the view', samples.program, async (page) => {
  await page.evaluate(() => (location.hash = '#hide=glibc'));
  await page.locator('.chip[aria-pressed="false"]').waitFor();
  assert.equal(await count(page, marksOf('glibc')), 0);
});

shows('a drag over the curves shows a part of the time', samples.server, async (page) => {
  const over = page.locator('#curves .u-over');
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 100, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 80, { steps: 4 });
  await page.mouse.up();
  assert.match(hash(page), /^#range=[\d.]+-[\d.]+$/);
  await page.getByRole('button', { name: 'Show all of the time' }).click();
  assert.equal(hash(page), '');
});

shows('a tooltip names the values under the pointer', samples.server, async (page) => {
  await page.locator(`#scatter [data-hides="heapsmith"] .own`).hover();
  assert.match((await page.locator('.tip').textContent()) ?? '', /heapsmith.*against as-built/);
  await page.locator('#curves .u-over').hover({ position: { x: 200, y: 60 } });
  assert.match((await page.locator('.tip').textContent()) ?? '', /^[\d.]+ s.*MiB.*MiB/);
  await page.mouse.move(2, 2);
  assert.equal(await count(page, '.tip'), 0);
});

shows('the keyboard reaches everything', samples.server, async (page) => {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
  const mark = page.locator('#scatter [data-hides="heapsmith"]');
  await mark.focus();
  await page.keyboard.press('Enter');
  assert.equal(hash(page), '#hide=heapsmith');
  const kept = await page.evaluate(() => document.activeElement?.closest('#scatter') !== null);
  assert.ok(kept, 'the focus stays in the chart');
  await page.locator('.chip[aria-pressed="false"]').focus();
  await page.keyboard.press('Space');
  assert.equal(hash(page), '');
  await page.getByRole('radio', { name: 'Relative' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(hash(page), '#mode=absolute');
  await page.locator('#curves .chart').focus();
  await page.keyboard.press('End');
  assert.match((await page.locator('.tip').textContent()) ?? '', /^1\d\d s/);
  await page.keyboard.press('Escape');
  assert.equal(await count(page, '.tip'), 0);
});

shows('a suite has a tally, a row for each workload and no winner', samples.suite, async (page) => {
  assert.equal(await page.locator('#heatmap tbody tr').count(), 15);
  assert.ok((await count(page, '.strip')) >= 10);
  assert.equal(await count(page, '.paste'), 0);
});

shows('failures stand below the verdict', samples.failure, async (page) => {
  assert.equal(await page.locator('.failure').count(), 2);
  assert.match((await page.locator('#failures').textContent()) ?? '', /killed by SIGSEGV/);
  assert.match((await page.locator('.remedy').textContent()) ?? '', /What to do/);
});

shows('code in the remedy is set as code', samples.unclear, async (page) => {
  assert.equal(await page.locator('.remedy code').textContent(), 'heapsmith doctor');
});

shows('data of another version is refused with a sentence', { version: 3 }, async (page) => {
  const notice = (await page.getByRole('alert').textContent()) ?? '';
  assert.match(notice, /results\.version: expected 2, found 3/);
});

const hostile = '<img src=x onerror=alert(1)></script>';
const attacked = JSON.parse(
  JSON.stringify(samples.server).replaceAll('heapsmith', hostile).replaceAll('redis', hostile),
) as unknown;
shows('hostile names stay text', attacked, async (page) => {
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.getByText(hostile).count()) > 3);
});
