// Small invented results with an obvious answer, for the tests of comparisons and verdicts.
import assert from 'node:assert/strict';
import { Table } from '../src/compare';
import { parseResults, type Results } from '../src/data';
import type { Question } from '../src/verdict';

/** Seven rounds around a value. Every contender has its own small, fixed scatter. */
function rounds(value: number, shift: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6].map((i) => value * (1 + (((i * 3 + shift) % 7) - 3) / 1000));
}

type Runs = Readonly<Record<string, readonly [wall: number, rss: number, loaded?: boolean]>>;

/** Results without ratio records, so the page must compare the rounds itself. */
export function tableOf(runs: Runs, count = 7): Table {
  const records = Object.entries(runs).flatMap(([contender, [wall, rss, loaded = true]], k) =>
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
  const file = { version: 2, command: 'c', created: 'now', machine: {}, contenders: [], records };
  const results = parseResults(JSON.stringify(file));
  assert.ok(results);
  return new Table(results);
}

export function question(table: Table, baseline = 'base'): Question {
  const [first] = table.cases;
  assert.ok(first);
  return { table, caseId: first.id, baseline, names: table.contenders };
}

/** The sample, parsed as the page parses it. */
export function parsed(file: unknown): Results {
  const results = parseResults(JSON.stringify(file));
  assert.ok(results);
  return results;
}
