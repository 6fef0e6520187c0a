// The sentences about comparisons, on small results with an obvious answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table } from '../src/compare';
import { advise, changeSentence, goals, judge, summary, tally } from '../src/verdict';
import { full } from './sample';
import { parsed, question, tableOf } from './tables';

function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

const [fastest, smallest] = goals;
assert.ok(fastest && smallest);

test('a faster contender at no cost means yes', () => {
  const q = question(tableOf({ base: [10, 100], quick: [8, 100], slow: [12, 90] }));
  const advice = advise(q);
  assert.equal(advice.answer, 'yes');
  assert.match(advice.headline, /quick/);
  assert.match(
    plain(advice.detail),
    /20 % less wall time, with no measurable difference in peak memory/,
  );
});

test('a gain with a cost is a trade, and the sentence names the cost', () => {
  const q = question(tableOf({ base: [10, 100], quick: [8, 130] }));
  assert.equal(advise(q).answer, 'trade');
  const verdict = judge(q, fastest);
  assert.equal(verdict.leader, 'quick');
  assert.match(plain(verdict.sentence), /^quick takes 20 % less wall time than base \(0\.80/);
  assert.match(plain(verdict.cost), /^It costs 30 % more peak memory \(1\.3/);
  assert.equal(judge(q, smallest).outcome, 'none');
});

test('without a gain the answer is no, and names equal and worse contenders', () => {
  const q = question(tableOf({ base: [10, 100], level: [10, 100], slow: [12, 120] }));
  assert.equal(advise(q).answer, 'no');
  const verdict = judge(q, fastest);
  assert.equal(verdict.outcome, 'none');
  assert.match(verdict.cost, /^level: no measurable difference\. slow: measurably slower\.$/);
});

test('a gain below two per cent is hardly worth a switch', () => {
  const q = question(tableOf({ base: [10, 100], quick: [9.85, 100] }));
  assert.equal(advise(q).answer, 'hardly');
  assert.match(judge(q, fastest).sentence, /measurable but small/);
});

test('five rounds support no claim', () => {
  const q = question(tableOf({ base: [10, 100], quick: [5, 50] }, 5));
  assert.equal(advise(q).answer, 'unknown');
  assert.equal(judge(q, fastest).outcome, 'unknown');
  assert.equal(judge(q, fastest).leader, null);
});

test('a contender that failed is excluded from that case, with its earlier rounds', () => {
  const table = tableOf({ base: [10, 100], quick: [5, 50], other: [9, 100] });
  const place = { suite: 'try', workload: 'prog', params: {} };
  const failure = { contender: 'quick', exit: 1, signal: null, why: '', stderrTail: '' };
  const leaderAfter = (where: typeof place | null): string | null => {
    const failures = [{ ...failure, where }];
    return judge(question(new Table({ ...table.results, failures })), fastest).leader;
  };
  assert.equal(judge(question(table), fastest).leader, 'quick');
  assert.equal(leaderAfter(place), 'other');
  assert.equal(leaderAfter(null), 'other');
  assert.equal(leaderAfter({ ...place, workload: 'another' }), 'quick');
});

test('the answer reports a baseline without results', () => {
  const q = question(tableOf({ base: [10, 100], quick: [5, 50] }), 'glibc');
  assert.equal(advise(q).answer, 'unknown');
  assert.match(advise(q).detail, /glibc was not measured here/);
});

test('the sentence also names contenders that do not differ from the leader', () => {
  const q = question(
    tableOf({ base: [10, 100], first: [8, 100], second: [8.001, 100], far: [9, 100] }),
  );
  assert.match(judge(q, fastest).sentence, /Not measurably different from it: second\.$/);
});

test('hidden contenders are excluded', () => {
  const table = tableOf({ base: [10, 100], quick: [8, 100], other: [9, 100] });
  const q = { ...question(table), names: ['base', 'other'] };
  assert.equal(judge(q, fastest).leader, 'other');
});

test('a tally counts every row once and finds the worst one', () => {
  const results = parsed(full);
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

test('only a metric that gets worse is a risk', () => {
  const q = question(tableOf({ base: [10, 100], quick: [8, 250] }));
  const memory = { key: 'peak_rss_bytes', title: 'Peak memory', noun: 'peak memory' };
  const [risk] = changeSentence(q, 'quick', memory);
  assert.match(risk ?? '', /^quick takes 2\.5 times the peak memory/);
  assert.deepEqual(changeSentence(q, 'quick', { key: 'wall_s', title: '', noun: '' }), []);
});

test('a summary counts rows and names the worst one', () => {
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
