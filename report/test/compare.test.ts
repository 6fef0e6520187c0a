// Comparisons: which contenders and rounds they use, and which result takes precedence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultBaseline, outcomeOf, Table } from '../src/compare';
import { advise } from '../src/verdict';
import { suiteOnly, tryOnly } from './sample';
import { parsed, question, tableOf } from './tables';

test('an interval that contains 1 or ends at 1 shows no difference', () => {
  assert.equal(outcomeOf({ low: 0.9, high: 1 }, 'lower'), 'same');
  assert.equal(outcomeOf({ low: 1, high: 1.1 }, 'lower'), 'same');
  assert.equal(outcomeOf({ low: 0.9, high: 0.99 }, 'lower'), 'better');
  assert.equal(outcomeOf({ low: 0.9, high: 0.99 }, 'higher'), 'worse');
  assert.equal(outcomeOf({ low: 1.01, high: 1.1 }, 'higher'), 'better');
  assert.equal(outcomeOf(null, 'lower'), 'unknown');
});

test('comparisons exclude a contender that was not loaded', () => {
  const q = question(tableOf({ base: [10, 100], fake: [5, 50, false] }));
  assert.equal(q.table.compare(q.caseId, 'wall_s', 'fake', 'base'), null);
  assert.equal(advise(q).answer, 'unknown');
});

test('the command’s comparison takes precedence over one from the rounds', () => {
  const file = JSON.parse(JSON.stringify(tryOnly)) as { records: Record<string, unknown>[] };
  const ratio = file.records.find(
    (r) => r['kind'] === 'ratio' && r['contender'] === 'heapsmith' && r['metric'] === 'wall_s',
  );
  assert.ok(ratio);
  Object.assign(ratio, { median: 0.5, low: 0.4, high: 0.6 });
  const results = parsed(file);
  const q = question(new Table(results), 'as-built');
  assert.equal(q.table.compare(q.caseId, 'wall_s', 'heapsmith', 'as-built')?.ratio, 0.5);
});

test('comparing the rounds gives the same result as the command', () => {
  const results = parsed(tryOnly);
  const given = new Table(results);
  const computed = new Table({ ...results, ratios: [] });
  for (const r of results.ratios) {
    const [id] = given.cases.map((c) => c.id);
    assert.ok(id);
    const args = [id, r.metric, r.contender, r.baseline] as const;
    assert.deepEqual(computed.compare(...args), given.compare(...args));
  }
});

test('a contender that missed a round is not paired with the wrong rounds', () => {
  const results = parsed(tryOnly);
  const samples = results.samples.map((s) =>
    s.contender === 'glibc' || s.contender === 'as-built'
      ? { ...s, n: 10, samples: s.samples.slice(1) }
      : s,
  );
  const table = new Table({ ...results, samples, ratios: [] });
  const q = question(table, 'as-built');
  assert.equal(table.compare(q.caseId, 'wall_s', 'glibc', 'as-built'), null);
  assert.notEqual(table.compare(q.caseId, 'wall_s', 'jemalloc-debian', 'heapsmith'), null);
});

test('cases differ by parameters; the order of parameters does not matter', () => {
  const results = parsed(suiteOnly);
  const table = new Table(results);
  assert.equal(table.cases.filter((c) => c.workload === 'server-heirs').length, 4);
  assert.ok(table.cases.some((c) => c.label === 'grow · 1 thread'));
  assert.ok(table.cases.some((c) => c.label === 'server-heirs · 10 threads'));
});

test('the default baseline is the one that the command used', () => {
  const ofSuite = parsed(suiteOnly);
  assert.equal(defaultBaseline(new Table(parsed(tryOnly))), 'as-built');
  assert.equal(defaultBaseline(new Table(ofSuite)), 'glibc');
  assert.equal(defaultBaseline(new Table({ ...ofSuite, ratios: [] })), 'glibc');
});
