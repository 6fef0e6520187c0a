// The page in a real browser: widths, dark colours and paper.
import assert from 'node:assert/strict';
import * as samples from './sample';
import { assertFits, count, theme, testsInBrowser } from './browser';

const shows = testsInBrowser();

shows(
  'the page follows the system into dark colours',
  samples.program,
  async (page) => {
    assert.equal(await theme(page), 'dark');
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html[data-theme="light"]').waitFor({ state: 'attached' });
    assert.notEqual(
      await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      dark,
    );
  },
  { colorScheme: 'dark' },
);

shows(
  'paper is light, without controls, and the theme returns',
  samples.server,
  async (page) => {
    await page.evaluate(() => {
      window.addEventListener('beforeprint', () => {
        const { dataset } = document.documentElement;
        dataset['printed'] = dataset['theme'];
      });
    });
    const pdf = await page.pdf({ format: 'A4' });
    assert.ok(pdf.length > 20_000);
    const printed = await page.evaluate(() => document.documentElement.dataset['printed']);
    assert.equal(printed, 'light');
    assert.equal(await theme(page), 'dark');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await count(page, '.steer, .copy, #contents'), 0);
  },
  { hash: '#theme=dark' },
);

for (const [name, data] of Object.entries(samples)) {
  shows(`${name} fits into narrow and wide windows`, data, assertFits);
}

shows(
  'without scripts a notice names the data, and the method stays readable',
  samples.program,
  async (page) => {
    assert.ok(await page.locator('noscript .notice').isVisible());
    assert.ok(await page.locator('#method').isVisible());
    assert.equal(await count(page, '#controls, #verdict, #scatter'), 0);
  },
  { javaScriptEnabled: false },
);
