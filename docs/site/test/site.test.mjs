// Opens the built site in Debian's chromium from file://: no message on the console, nothing wider
// than the window, every link leads to a file, and the search finds a section.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const executable = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const out = process.env['SITE'] ?? '../../build/docs';
const shown = [
  'index.html',
  'names.html',
  'docs/README.html',
  'docs/choosing.html',
  'docs/sanitizers.html',
];
const written = readdirSync(out, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.html') && !/^(cpp|rustdoc)\//.test(file));
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
});
after(() => browser?.close());

async function visit(file, options, look) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) said.push(`loads ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(out, file)).href);
  await look(page);
  await context.close();
  assert.deepEqual(said, []);
}

test('every link of a page leads to a file and a heading', () => {
  assert.ok(written.length > 100, `${written.length} pages`);
  const texts = new Map();
  const read = (file) => texts.get(file) ?? texts.set(file, readFileSync(file, 'utf8')).get(file);
  for (const file of written) {
    for (const [, link] of read(join(out, file)).matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path, id] = link.split('#');
      const target = path ? join(out, dirname(file), path) : join(out, file);
      assert.ok(existsSync(target), `${file}: no file for ${link}`);
      if (id && target.endsWith('.html'))
        assert.ok(read(target).includes(`id="${id}"`), `${file}: no heading for ${link}`);
    }
  }
});

test('every public function of C is in the list of names', () => {
  const list = readFileSync(join(out, 'names.html'), 'utf8');
  const header = readFileSync('../../include/heapsmith/region.h', 'utf8');
  const functions = [...header.matchAll(/^HS_API [^;]*?\b(hs_\w+)\(/gm)].map((match) => match[1]);
  assert.ok(functions.length > 10);
  for (const name of functions) assert.ok(list.includes(`<code>${name}</code>`), name);
});

test('every item of the Rust crates is in the list of names', () => {
  const list = readFileSync(join(out, 'names.html'), 'utf8');
  const items = readdirSync(join(out, 'rustdoc/heapsmith'), { recursive: true })
    .map(String)
    .filter((file) => /(^|\/)(struct|enum|trait|fn|type|derive|macro)\.\w+\.html$/.test(file))
    .filter((file) => {
      const page = readFileSync(join(out, 'rustdoc/heapsmith', file), 'utf8');
      return !page.includes('http-equiv="refresh"'); // leads to the item's page
    });
  assert.ok(items.length > 50, `${items.length} items`);
  for (const page of items) assert.ok(list.includes(`href="rustdoc/heapsmith/${page}"`), page);
  assert.match(list, /heapsmith::Arena<\/code>.*?source\/rust\/heapsmith\/examples\/\w+\.rs/);
});

for (const width of [390, 1280, 2560]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`pages fit ${width} pixels, ${colorScheme}`, async () => {
      for (const file of shown) {
        await visit(file, { viewport: { width, height: 900 }, colorScheme }, async (page) => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${file}: ${wide} pixels in a window of ${width}`);
          const pictures = process.env['PICTURES'];
          if (pictures)
            await page.screenshot({
              path: join(pictures, `${file.replaceAll('/', '-')}-${width}-${colorScheme}.png`),
            });
        });
      }
    });
  }
}

test('the search finds a section, and its link leads there', async () => {
  await visit('docs/README.html', {}, async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('the purger');
    const first = page.locator('#found a').first();
    await first.waitFor();
    assert.match(await first.textContent(), /purger/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.endsWith('/docs/README.html'));
    await page.locator('h1').waitFor();
  });
});

test('the button changes the colours', async () => {
  await visit('index.html', { colorScheme: 'light' }, async (page) => {
    await page.click('#theme');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  });
});
