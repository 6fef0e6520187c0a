// The built page: self-contained, small enough, and safe to fill with hostile text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPage, faults, fill, inline, maxBytes, tables } from '../build.mjs';
import { placeholder, tracesPlaceholder } from '../build.mjs';
import { parseResults } from '../src/parse';

const page = buildPage();

test('the built page contains the placeholder once and loads nothing', async () => {
  const html = await page;
  assert.deepEqual(faults(html), []);
  assert.equal(html.split(placeholder).length, 2);
  assert.ok(Buffer.byteLength(html) <= maxBytes);
});

test('the page contains the license of the bundled library', async () => {
  const html = await page;
  assert.match(html, /The MIT License/);
  assert.match(html, /Leon Sorokin/);
});

test('faults finds each way to load an outside resource', () => {
  const outside = [
    '<script src="x.js"></script>',
    '<link rel="stylesheet" href="x.css">',
    '<img src="x.png">',
    '<style>@import "x.css";</style>',
    '<style>a { background: url(https://example.org/x.png) }</style>',
  ];
  const marks = placeholder + tracesPlaceholder + tables;
  for (const html of outside) assert.equal(faults(marks + html).length, 1, html);
  assert.deepEqual(faults(marks), []);
});

test('faults finds a missing or repeated placeholder', () => {
  const marks = placeholder + tracesPlaceholder + tables;
  for (const mark of [placeholder, tracesPlaceholder, tables]) {
    assert.equal(faults(marks.replace(mark, '')).length, 1, mark);
    assert.equal(faults(marks + mark).length, 1, mark);
  }
});

test('no text in the results can close the data element', () => {
  const hostile = { command: '</script><script>alert(1)</script>$&', list: ['<!--'] };
  const html = fill(`a${placeholder}b`, hostile);
  const start = '<script type="application/json" id="heapsmith-data">';
  const end = html.indexOf('</script>');
  assert.ok(html.startsWith(`a${start}`) && html.slice(end) === '</script>b');
  assert.deepEqual(JSON.parse(html.slice(1 + start.length, end)), hostile);
});

test('the empty template has no results', () => {
  assert.equal(parseResults('null'), null);
});

test('a missing or repeated marker fails the build', () => {
  assert.throws(() => inline('a', 'x', 'y'), /expected once, found 0/);
  assert.throws(() => inline('xx', 'x', 'y'), /expected once, found 2/);
});
