// The index: which contenders and rounds a comparison uses, and where its outcome comes from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResults } from '../src/parse';
import { defaultBaseline, Table } from '../src/table';
import { failure, program, server, suite } from './sample';
import type { Results } from '../src/data';

/** The sample, parsed as the page parses it. */
function parsed(file: unknown): Results {
  const results = parseResults(JSON.stringify(file));
  assert.ok(results);
  return results;
}

const id = 'try/g++';

test('an outcome is the command’s, whatever the numbers say', () => {
  const results = parsed(program);
  assert.ok(results.verdict);
  const comparisons = results.verdict.comparisons.map((c) => ({
    ...c,
    outcome: 'unclear' as const,
  }));
  const table = new Table({ ...results, verdict: { ...results.verdict, comparisons } });
  for (const c of comparisons) {
    assert.equal(table.compare(id, c.metric, c.contender, c.baseline)?.outcome, 'unclear');
  }
});

test('a comparison that the command did not judge has a ratio and no outcome', () => {
  const table = new Table(parsed(program));
  assert.equal(table.compare(id, 'wall_s', 'heapsmith', 'glibc')?.outcome, 'better');
  assert.equal(table.compare(id, 'cpu_s', 'heapsmith', 'glibc')?.outcome, null);
  const other = table.compare(id, 'wall_s', 'heapsmith', 'tbbmalloc');
  assert.ok(other !== null && other.ratio < 1 && other.interval !== null);
  assert.equal(other.outcome, null);
});

test('an outcome without a ratio belongs to the ratio of the rounds', () => {
  const results = parsed(program);
  assert.ok(results.verdict);
  const unclear = { outcome: 'unclear', median: null, interval: null } as const;
  const comparisons = results.verdict.comparisons.map((c) => ({ ...c, ...unclear }));
  const table = new Table({ ...results, ratios: [], verdict: { ...results.verdict, comparisons } });
  const found = table.compare(id, 'wall_s', 'heapsmith', 'glibc');
  assert.equal(found?.outcome, 'unclear');
  assert.ok(found.ratio < 1);
});

test('the judged comparison takes precedence over a ratio record', () => {
  const results = parsed(program);
  const ratios = results.ratios.map((r) => ({ ...r, median: 7 }));
  const table = new Table({ ...results, ratios });
  assert.notEqual(table.compare(id, 'wall_s', 'heapsmith', 'glibc')?.ratio, 7);
  assert.equal(table.compare(id, 'cpu_s', 'heapsmith', 'glibc')?.ratio, 7);
});

test('comparing the rounds gives the same ratio as the command', () => {
  const results = parsed(program);
  const given = new Table(results);
  const computed = new Table({ ...results, ratios: [], verdict: null });
  for (const r of results.ratios) {
    const args = [id, r.metric, r.contender, r.baseline] as const;
    const mine = computed.compare(...args);
    assert.deepEqual(mine, { ...given.compare(...args), outcome: null });
  }
});

test('comparisons exclude contenders that failed or were not loaded', () => {
  const results = parsed(failure);
  assert.equal(new Table(results).compare(id, 'wall_s', 'tbbmalloc', 'as-built'), null);
  const samples = results.samples.map((s) => ({ ...s, loaded: s.contender !== 'heapsmith' }));
  const table = new Table({ ...results, samples });
  assert.equal(table.absence(id, 'wall_s', 'heapsmith'), 'not loaded');
  assert.equal(table.compare(id, 'wall_s', 'heapsmith', 'as-built'), null);
});

test('a failed round is left out of the pairs', () => {
  const results = parsed(program);
  const samples = results.samples.map((s) =>
    s.contender === 'heapsmith' ? { ...s, samples: [null, ...s.samples.slice(1)] } : s,
  );
  const table = new Table({ ...results, samples, ratios: [], verdict: null });
  assert.equal(table.compare(id, 'wall_s', 'heapsmith', 'glibc')?.n, 10);
  assert.equal(table.compare(id, 'wall_s', 'jemalloc-debian', 'glibc')?.n, 11);
});

test('growth has no ratio, since it may be zero or negative', () => {
  const table = new Table(parsed(server));
  const [first] = table.cases;
  assert.ok(first);
  const metric = 'pss_slope_bytes_per_min';
  assert.notEqual(table.sample(first.id, metric, 'glibc'), null);
  assert.equal(table.compare(first.id, metric, 'glibc', 'as-built'), null);
});

test('cases differ by parameters; the order of parameters does not matter', () => {
  const table = new Table(parsed(suite));
  assert.equal(table.cases.filter((c) => c.workload === 'server-heirs').length, 4);
  assert.ok(table.cases.some((c) => c.label === 'grow · 1 thread'));
  assert.ok(table.cases.some((c) => c.label === 'server-heirs · 10 threads'));
});

test('the default baseline is the one that the verdict compares with', () => {
  const results = parsed(suite);
  assert.equal(defaultBaseline(new Table(parsed(failure))), 'as-built');
  assert.equal(defaultBaseline(new Table(results)), 'glibc');
  assert.equal(defaultBaseline(new Table({ ...results, ratios: [], verdict: null })), 'glibc');
});
