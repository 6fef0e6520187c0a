// Comparisons and the sentences made of them, on small results whose right answer is plain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultBaseline, outcomeOf, Table } from '../src/compare';
import { parseResults } from '../src/data';
import {
  advise,
  changeSentence,
  goals,
  judge,
  summary,
  tally,
  type Question,
} from '../src/verdict';
import { full, suiteOnly, tryOnly } from './sample';

/** Seven rounds around a value, every contender with its own small and fixed scatter. */
function rounds(value: number, shift: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6].map((i) => value * (1 + (((i * 3 + shift) % 7) - 3) / 1000));
}

type Figures = Readonly<Record<string, readonly [wall: number, rss: number, loaded?: boolean]>>;

/** Results without ratio records: the page has to compare the rounds itself. */
function tableOf(figures: Figures, count = 7): Table {
  const records = Object.entries(figures).flatMap(([contender, [wall, rss, loaded = true]], k) =>
    [
      { metric: 'wall_s', unit: 's', samples: rounds(wall, k).slice(0, count) },
      { metric: 'peak_rss_bytes', unit: 'bytes', samples: rounds(rss, 2 * k).slice(0, count) },
    ].map((row) => ({
      kind: 'sample',
      suite: 'try',
      workload: 'prog',
      params: {},
      contender,
      version: '1',
      better: 'lower',
      n: row.samples.length,
      median: row.samples[0],
      low: null,
      high: null,
      loaded,
      ...row,
    })),
  );
  const file = { version: 1, command: 'c', created: 'now', machine: {}, contenders: [], records };
  const results = parseResults(JSON.stringify(file));
  assert.ok(results);
  return new Table(results);
}

function question(table: Table, baseline = 'base'): Question {
  const [first] = table.cases;
  assert.ok(first);
  return { table, caseId: first.id, baseline, names: table.contenders };
}

function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

const [fastest, smallest] = goals;
assert.ok(fastest && smallest);

test('an interval that contains 1 shows no difference, its ends included', () => {
  assert.equal(outcomeOf({ low: 0.9, high: 1 }, 'lower'), 'same');
  assert.equal(outcomeOf({ low: 1, high: 1.1 }, 'lower'), 'same');
  assert.equal(outcomeOf({ low: 0.9, high: 0.99 }, 'lower'), 'better');
  assert.equal(outcomeOf({ low: 0.9, high: 0.99 }, 'higher'), 'worse');
  assert.equal(outcomeOf({ low: 1.01, high: 1.1 }, 'higher'), 'better');
  assert.equal(outcomeOf(null, 'lower'), 'unknown');
});

test('faster at no cost is a yes', () => {
  const q = question(tableOf({ base: [10, 100], quick: [8, 100], slow: [12, 90] }));
  const advice = advise(q);
  assert.equal(advice.answer, 'yes');
  assert.match(advice.headline, /quick/);
  assert.match(
    plain(advice.detail),
    /20 % less wall time, with no measurable difference in peak memory/,
  );
});

test('a gain with a price is a trade, and the price is said', () => {
  const q = question(tableOf({ base: [10, 100], quick: [8, 130] }));
  assert.equal(advise(q).answer, 'trade');
  const verdict = judge(q, fastest);
  assert.equal(verdict.leader, 'quick');
  assert.match(plain(verdict.sentence), /^quick takes 20 % less wall time than base \(0\.80/);
  assert.match(plain(verdict.cost), /^It costs 30 % more peak memory \(1\.3/);
  assert.equal(judge(q, smallest).outcome, 'none');
});

test('no gain is a no, and says who is level and who is worse', () => {
  const q = question(tableOf({ base: [10, 100], level: [10, 100], slow: [12, 120] }));
  assert.equal(advise(q).answer, 'no');
  const verdict = judge(q, fastest);
  assert.equal(verdict.outcome, 'none');
  assert.match(verdict.cost, /^level: no measurable difference\. slow: measurably slower\.$/);
});

test('a gain below two per cent is hardly worth it', () => {
  const q = question(tableOf({ base: [10, 100], quick: [9.85, 100] }));
  assert.equal(advise(q).answer, 'hardly');
  assert.match(judge(q, fastest).sentence, /Measurable, but small/);
});

test('with five rounds nothing is claimed', () => {
  const q = question(tableOf({ base: [10, 100], quick: [5, 50] }, 5));
  assert.equal(advise(q).answer, 'unknown');
  assert.equal(judge(q, fastest).outcome, 'unknown');
  assert.equal(judge(q, fastest).leader, null);
});

test('a contender that was not loaded takes no part', () => {
  const q = question(tableOf({ base: [10, 100], fake: [5, 50, false] }));
  assert.equal(q.table.compare(q.caseId, 'wall_s', 'fake', 'base'), null);
  assert.equal(advise(q).answer, 'unknown');
});

test('a contender nobody can tell from the leader is named with it', () => {
  const q = question(
    tableOf({ base: [10, 100], first: [8, 100], second: [8.001, 100], far: [9, 100] }),
  );
  assert.match(judge(q, fastest).sentence, /Not measurably different from it: second\.$/);
});

test('who is hidden takes no part', () => {
  const table = tableOf({ base: [10, 100], quick: [8, 100], other: [9, 100] });
  const q = { ...question(table), names: ['base', 'other'] };
  assert.equal(judge(q, fastest).leader, 'other');
});

test('the command’s own comparison goes before one from the rounds', () => {
  const file = JSON.parse(JSON.stringify(tryOnly)) as { records: Record<string, unknown>[] };
  const ratio = file.records.find(
    (r) => r['kind'] === 'ratio' && r['contender'] === 'heapsmith' && r['metric'] === 'wall_s',
  );
  assert.ok(ratio);
  Object.assign(ratio, { median: 0.5, low: 0.4, high: 0.6 });
  const results = parseResults(JSON.stringify(file));
  assert.ok(results);
  const q = question(new Table(results), 'as-built');
  assert.equal(q.table.compare(q.caseId, 'wall_s', 'heapsmith', 'as-built')?.ratio, 0.5);
});

test('comparing the rounds gives what the command gives', () => {
  const results = parseResults(JSON.stringify(tryOnly));
  assert.ok(results);
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
  const results = parseResults(JSON.stringify(tryOnly));
  assert.ok(results);
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
  const results = parseResults(JSON.stringify(suiteOnly));
  assert.ok(results);
  const table = new Table(results);
  assert.equal(table.cases.filter((c) => c.workload === 'server-heirs').length, 4);
  assert.ok(table.cases.some((c) => c.label === 'grow · 1 thread'));
  assert.ok(table.cases.some((c) => c.label === 'server-heirs · 10 threads'));
});

test('the usual baseline is the one the command used', () => {
  const ofTry = parseResults(JSON.stringify(tryOnly));
  const ofSuite = parseResults(JSON.stringify(suiteOnly));
  assert.ok(ofTry && ofSuite);
  assert.equal(defaultBaseline(new Table(ofTry)), 'as-built');
  assert.equal(defaultBaseline(new Table(ofSuite)), 'glibc');
  assert.equal(defaultBaseline(new Table({ ...ofSuite, ratios: [] })), 'glibc');
});

test('a tally counts every row once and finds the worst', () => {
  const results = parseResults(JSON.stringify(full));
  assert.ok(results);
  const table = new Table(results);
  const cases = table.cases.filter((c) => c.suite === 'heap');
  const lines = tally({ table, baseline: 'glibc', names: table.contenders }, 'wall_s', cases);
  assert.equal(lines.length, 6);
  for (const line of lines) {
    assert.equal(line.better + line.same + line.worse + line.unknown, cases.length);
    const all = cases.map((c) => table.compare(c.id, 'wall_s', line.name, 'glibc')?.ratio ?? 0);
    assert.equal(line.worst.comparison.ratio, Math.max(...all));
    assert.ok(line.mean > Math.min(...all) && line.mean < Math.max(...all));
  }
});

test('only what gets worse is a risk', () => {
  const q = question(tableOf({ base: [10, 100], quick: [8, 250] }));
  const memory = { key: 'peak_rss_bytes', title: 'Peak memory', noun: 'peak memory' };
  const [risk] = changeSentence(q, 'quick', memory);
  assert.match(risk ?? '', /^quick takes 2\.5 times the peak memory/);
  assert.deepEqual(changeSentence(q, 'quick', { key: 'wall_s', title: '', noun: '' }), []);
});

test('a summary counts rows and names the worst', () => {
  const worst = {
    label: 'grow · 1 thread',
    comparison: { ratio: 1.2, interval: null, n: 11, outcome: 'worse' as const },
  };
  const line = { name: 'quick', better: 3, same: 1, worse: 1, unknown: 0, mean: 0.9, worst };
  const none = { ...line, name: 'slow', better: 0, worse: 4, mean: 1.3 };
  assert.equal(
    summary(fastest, [none, line], 'glibc'),
    'quick is measurably faster than glibc in 3 of 5 rows, slower in 1; ' +
      'its worst row is grow · 1 thread with 1.20×.',
  );
  assert.match(
    summary(fastest, [none], 'glibc'),
    /^Nothing is measurably faster than glibc in any/,
  );
  assert.match(summary(fastest, [], 'glibc'), /^Nothing here can be compared with glibc/);
});
