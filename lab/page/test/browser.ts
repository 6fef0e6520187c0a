// Opens filled pages in Debian's chromium, and fails on any message on its console.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { buildPage, fill, tracesPlaceholder } from '../build.mjs';

const executable = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

export interface Visit extends BrowserContextOptions {
  readonly hash?: string;
  /** Recorded traces, beside the results. */
  readonly traces?: unknown;
}

/** The browser and the pages that one test file needs. */
class Visitor {
  private constructor(
    private readonly browser: Browser,
    private readonly folder: string,
    private readonly template: string,
  ) {}

  static async start(): Promise<Visitor> {
    assert.ok(existsSync(executable), `${executable} is missing; Debian's package is chromium`);
    const [browser, folder, template] = await Promise.all([
      // Root, as in containers, may not use the sandbox.
      chromium.launch({ executablePath: executable, args: ['--no-sandbox', '--disable-gpu'] }),
      mkdtemp(join(tmpdir(), 'heapsmith-page-')),
      buildPage(),
    ]);
    return new Visitor(browser, folder, template);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Shows a page filled with `data` to `look`. Any error or warning on the console is a fault. */
  async visit(data: unknown, visit: Visit, look: (page: Page) => Promise<void>): Promise<void> {
    const { hash = '', traces = null, ...options } = visit;
    const file = join(this.folder, 'page.html');
    await writeFile(file, fill(fill(this.template, data), traces, tracesPlaceholder));
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    try {
      const page = await context.newPage();
      const said: string[] = [];
      page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => said.push(error.message));
      page.on('request', (request) => {
        if (!/^(file|blob|data):/.test(request.url())) said.push(`loads ${request.url()}`);
      });
      page.setDefaultTimeout(5000);
      // A busy machine takes long to start a tab. Tests of speed have clocks of their own.
      await page.goto(pathToFileURL(file).href + hash, { timeout: 30000 });
      await look(page);
      assert.deepEqual(said, []);
    } finally {
      await context.close();
    }
  }
}

type Shows = (
  name: string,
  data: unknown,
  look: (page: Page) => Promise<void>,
  visit?: Visit,
) => void;

/** Opens a browser for the tests of a file. The result declares a test of one filled page. */
export function testsInBrowser(): Shows {
  let visitor: Visitor | null = null;
  before(async () => {
    visitor = await Visitor.start();
  });
  after(() => visitor?.stop());
  return (name, data, look, visit = {}) => {
    test(name, () => visitor?.visit(data, visit, look));
  };
}

/** The number of elements that are shown. */
export function count(page: Page, selector: string): Promise<number> {
  return page.locator(selector).filter({ visible: true }).count();
}

/** The colours that the page has chosen. */
export function theme(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset['theme']);
}

/** The texts that stick out of their chart. */
function outside(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.chart svg')].flatMap((chart) => {
      const box = chart.getBoundingClientRect();
      const texts = [...chart.querySelectorAll('text')].filter((text) => {
        const { left, right } = text.getBoundingClientRect();
        return left < box.left - 4 || right > box.right + 8;
      });
      return texts.map((text) => text.textContent);
    }),
  );
}

/** Nothing sticks out of the page or of its charts, at any width. */
export async function assertFits(page: Page): Promise<void> {
  for (const width of [390, 1280, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    // Charts redraw after the layout.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels in a window of ${width}`);
    assert.deepEqual(await outside(page), [], 'text outside its chart');
  }
}
