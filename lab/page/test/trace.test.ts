// The numbers of a part of a trace, its rows and its tree of calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeName } from '../src/trace/changes-name';
import { parseTraces } from '../src/trace/parse';
import { rowsOf } from '../src/trace/rows';
import { histogram, highestBin, liveOf, numbersOf, spanOf, type Span } from '../src/trace/select';
import { byValue, treeOf } from '../src/trace/tree';
import { siteName } from '../src/trace/names';
import { one, trace as invented, two } from './traces';
import type { Trace, Traces } from '../src/trace/data';
import type { View } from '../src/state';

function parsed(data: unknown): Traces {
  const traces = parseTraces(JSON.stringify(data));
  assert.ok(traces !== null);
  return traces;
}

function first(): Trace {
  const [trace] = parsed(one).traces;
  assert.ok(trace !== undefined);
  return trace;
}

const view: View = {
  baseline: '',
  case: '',
  hidden: [],
  scale: 'log',
  mode: 'relative',
  time: '',
  memory: '',
  heat: '',
  range: null,
  trace: 'app.trace',
  span: null,
  by: 'bytes',
  sites: 'flame',
  flame: 'callers',
  code: 'all',
  find: '',
  theme: 'auto',
};

const all: Span = [0, 64];

test('a range of milliseconds touches whole bins', () => {
  const trace = first();
  assert.deepEqual(spanOf(trace, null), [0, 64]);
  assert.deepEqual(spanOf(trace, [3, 5]), [3, 5]);
  assert.deepEqual(spanOf(trace, [3.2, 5.1]), [3, 6]);
  assert.deepEqual(spanOf(trace, [63.9, 900]), [63, 64]);
  assert.deepEqual(spanOf(trace, [500, 900]), [63, 64]);
});

test('the numbers of parts add up to those of the whole', () => {
  const trace = first();
  for (const site of trace.sites) {
    const whole = numbersOf(trace, site, all);
    assert.equal(whole.calls, site.calls);
    assert.equal(whole.bytes, site.bytes);
    assert.equal(whole.left, site.left);
    const parts = [
      [0, 21],
      [21, 22],
      [22, 64],
    ].map(([from, to]) => numbersOf(trace, site, [from ?? 0, to ?? 0]));
    for (const key of ['calls', 'bytes', 'left', 'ended', 'lived'] as const) {
      assert.equal(
        parts.reduce((sum, p) => sum + p[key], 0),
        whole[key],
        key,
      );
    }
  }
});

test('what is live is what came and did not go', () => {
  const trace = first();
  const [file, tree] = trace.sites;
  assert.ok(file !== undefined && tree !== undefined);
  const live = liveOf(trace, file);
  assert.deepEqual([live[1], live[2], live[39], live[40]], [0, 6 << 20, 6 << 20, 0]);
  // At the highest moment of a part without the peak.
  assert.equal(highestBin(trace, [0, 10]), 9);
  assert.equal(numbersOf(trace, tree, [0, 10]).peak, 6 * 2000 * 80);
  assert.equal(highestBin(trace, all), 37);
  assert.equal(numbersOf(trace, tree, [30, 40]).peak, tree.peak);
});

test('histograms count the chosen bins', () => {
  const trace = first();
  const sizes = histogram(trace, 'sizes', [4, 6]);
  assert.equal(sizes[7], 4000, 'blocks of 80 bytes');
  assert.equal(
    sizes.reduce((a, b) => a + b, 0),
    4040,
  );
});

test('a site is named after the nearest function of the reader', () => {
  const trace = first();
  const names = trace.sites.map((_, i) => siteName(trace, i));
  assert.deepEqual(
    names.map(({ name, note }) => [name, note]),
    [
      ['load_file(unsigned long)', ''],
      ['parse', 'through std::allocator<…>::allocate'],
      ['visit and 1 more', 'through std::allocator<…>::allocate'],
      ['png_create', 'libpng16.so.16'],
    ],
  );
});

test('rows of own code divide sites among those who called them', () => {
  const trace = first();
  const rows = new Map(rowsOf(trace, all, 'own').map((row) => [row.name, row.numbers]));
  const [file, tree, churn, image] = trace.sites;
  assert.equal(rows.get('load_file(unsigned long)')?.bytes, file?.bytes);
  assert.equal(rows.get('visit')?.calls, 0.75 * (churn?.calls ?? 0));
  assert.equal(rows.get('parse')?.calls, (tree?.calls ?? 0) + 0.25 * (churn?.calls ?? 0));
  assert.equal(rows.get('System libraries alone')?.left, image?.left);
  assert.equal(rows.get('31 other sites')?.calls, 64);
  assert.equal(rowsOf(trace, all, 'all').length, 5);
});

test('sites of one line share a row', () => {
  const trace = first();
  const [file] = trace.sites;
  assert.ok(file !== undefined);
  const twice = { ...trace, sites: [file, ...trace.sites] };
  const [row, ...others] = rowsOf(twice, all, 'all');
  assert.equal(row?.numbers.bytes, 2 * file.bytes);
  assert.equal(others.length, 4);
});

test('the tree has every byte, in both directions', () => {
  const traces = parsed(one);
  const trace = first();
  const bytes = trace.sites.reduce((sum, s) => sum + s.bytes, trace.others?.bytes ?? 0);
  const scene = { traces, trace, span: all, view };
  const callers = treeOf(scene);
  assert.ok(Math.abs(callers.value - bytes) < 1);
  assert.deepEqual(
    byValue(callers).map((c) => c.name),
    ['libc.so.6+0x2724a', 'png_create', 'All other sites'],
  );
  const calls = treeOf({ ...scene, view: { ...view, flame: 'calls', code: 'own' } });
  assert.ok(Math.abs(calls.value - bytes) < 1);
  const tops = byValue(calls).map((c) => c.name);
  assert.ok(tops.includes('System libraries alone') && !tops.some((n) => n.startsWith('std::')));
  assert.deepEqual(byValue(byValue(calls)[0] ?? calls)[0]?.name, 'main');
});

test('names of changes show the outermost function', () => {
  const [changed, plain] = parsed(two).changes?.sites ?? [];
  assert.deepEqual(changeName(changed?.name ?? ''), {
    name: 'parse',
    note: 'through std::allocator<char>::allocate(unsigned long) at parse.cpp',
  });
  assert.deepEqual(changeName(plain?.name ?? ''), { name: 'cache in app', note: '' });
});

test('faults of the data are named', () => {
  const refuse = (change: (t: ReturnType<typeof invented>) => void, message: RegExp): void => {
    const bad = invented('bad');
    change(bad);
    assert.throws(() => parsed({ ...one, traces: [bad] }), message);
  };
  refuse((t) => t.curve.least.pop(), /traces\.traces\[0\]\.curve\.least: expected 256 numbers/);
  refuse((t) => (t.stacks.parent[3] = 4), /stacks\.parent\[3\]: expected at most 3, found 4/);
  refuse((t) => t.sites[1]?.series.left.pop(), /sites\[1\]\.series\.left/);
  assert.throws(() => parsed({ ...one, version: 2 }), /traces\.version: expected 1, found 2/);
  assert.equal(parseTraces('null'), null);
});
