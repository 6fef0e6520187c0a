// Builds the page: bundles src/ and inlines script and style into one HTML file, dist/report.html.
// @ts-check
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));

/** The element that the command fills in. It must occur exactly once, byte for byte. */
export const placeholder = '<script type="application/json" id="heapsmith-data">null</script>';

/** The element for recorded traces, likewise. */
export const tracesPlaceholder =
  '<script type="application/json" id="heapsmith-traces">null</script>';

/** The place where the command writes tables for readers without scripts. */
export const tables = '<!-- heapsmith: tables -->';

/** A filled page must open quickly and fit into a mail, so the template stays small. */
export const maxBytes = 220 * 1024;

/** @param {string} entry @returns {Promise<string>} */
async function bundle(entry) {
  const result = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2022'],
    // The footer of the page contains the full license.
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const [output] = result.outputFiles;
  if (output === undefined) throw new Error(`${entry}: esbuild produced nothing`);
  return output.text.trim();
}

/** Replaces `marker`, which must occur exactly once, by `text`.
 * @param {string} html @param {string} marker @param {string} text @returns {string} */
export function inline(html, marker, text) {
  const parts = html.split(marker);
  if (parts.length !== 2) {
    throw new Error(`${marker}: expected once, found ${parts.length - 1} times`);
  }
  return parts.join(text);
}

/** Fills the template as the command does. It escapes `<`, so that no text can close the element.
 * @param {string} html @param {unknown} data @param {string} place @returns {string} */
export function fill(html, data, place = placeholder) {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return inline(
    html,
    place,
    place.replace('null', () => json),
  );
}

/** Everything that would make the page depend on anything outside it.
 * @param {string} html @returns {string[]} */
export function faults(html) {
  const found = [];
  if (html.split(placeholder).length !== 2)
    found.push('the data placeholder does not occur exactly once');
  if (html.split(tracesPlaceholder).length !== 2)
    found.push('the placeholder of traces does not occur exactly once');
  if (html.split(tables).length !== 2) found.push('the place of the tables does not occur once');
  if (Buffer.byteLength(html) > maxBytes) found.push(`larger than ${maxBytes} bytes`);
  if (/<(script|img|iframe)[^>]*\ssrc=/i.test(html)) found.push('an element loads a source');
  if (/<link\s/i.test(html)) found.push('a link element');
  if (/@import|url\(\s*["']?(https?:)?\/\//i.test(html)) found.push('a style loads a resource');
  return found;
}

/** The license of the bundled library, which must be distributed together with the page.
 * @returns {Promise<string>} */
async function license() {
  const text = await readFile(join(root, 'node_modules/uplot/LICENSE'), 'utf8');
  return text.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** @returns {Promise<string>} the finished template */
export async function buildPage() {
  const [template, script, style, terms] = await Promise.all([
    readFile(join(root, 'src/index.html'), 'utf8'),
    bundle('src/main.ts'),
    bundle('src/style.css'),
    license(),
  ]);
  const styled = inline(template, '/* heapsmith: style */', style);
  const licensed = inline(styled, 'heapsmith: license', terms);
  const html = inline(licensed, '/* heapsmith: script */', script);
  const wrong = faults(html);
  if (wrong.length > 0) throw new Error(`the page is not self-contained: ${wrong.join('; ')}`);
  return html;
}

/** Compiles the invented sample results and writes one filled page for each, to look at.
 * @param {string} html */
async function writeSamples(html) {
  const outfile = join(root, 'node_modules/.cache/heapsmith/sample.mjs');
  const entryPoints = [join(root, 'test/sample.ts')];
  await build({ entryPoints, outfile, format: 'esm', bundle: true });
  /** @type {unknown} */
  const imported = await import(pathToFileURL(outfile).href);
  for (const [name, data] of Object.entries(/** @type {object} */ (imported))) {
    await writeFile(join(root, `dist/sample-${name}.html`), fill(html, data));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const html = await buildPage();
  await mkdir(join(root, 'dist'), { recursive: true });
  await writeFile(join(root, 'dist/report.html'), html);
  if (process.argv.includes('--sample')) await writeSamples(html);
  console.log(`dist/report.html: ${(Buffer.byteLength(html) / 1024).toFixed(0)} KiB`);
}
