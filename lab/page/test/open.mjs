// Opens a filled page in chromium and prints what it shows, as JSON: for tests of the command.
// @ts-check
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [file = '', hash = ''] = process.argv.slice(2);
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  /** @type {string[]} */
  const said = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(error.message));
  // The first page of a browser waits for the browser itself.
  await page.goto('about:blank');
  const begin = performance.now();
  await page.goto(pathToFileURL(file).href + hash);
  await page.locator('#live svg path.most').waitFor();
  const opened_ms = performance.now() - begin;
  const headline = await page.locator('h1').first().textContent();
  const sites = await page.locator('table.sites tbody tr th > span').allTextContents();
  const labels = await page
    .locator('.call')
    .evaluateAll((all) => all.map((call) => call.getAttribute('aria-label')));
  console.log(JSON.stringify({ opened_ms, said, headline, sites, labels }));
} finally {
  await browser.close();
}
