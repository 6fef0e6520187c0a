// The parser accepts the command's output and names the position of every fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataError } from '../src/json';
import { parseResults } from '../src/parse';
import { failure, full, server } from './sample';

type Json = Record<string, unknown>;

/** The sample file with one change made to a copy of it. */
function changed(change: (file: Json, first: Json) => void): string {
  const file = JSON.parse(JSON.stringify(failure)) as Json;
  const [first] = file['records'] as Json[];
  if (first === undefined) throw new Error('the sample has no records');
  change(file, first);
  return JSON.stringify(file);
}

function assertFault(json: string, message: RegExp): void {
  assert.throws(
    () => parseResults(json),
    (error: unknown) => error instanceof DataError && message.test(error.message),
  );
}

test('the sample parses without loss', () => {
  const results = parseResults(JSON.stringify(failure));
  assert.ok(results);
  assert.equal(results.contenders.length, 6);
  // Six contenders and four metrics; one contender has too few rounds to be compared.
  assert.equal(results.samples.length, 24);
  assert.equal(results.ratios.length, 16);
  assert.equal(results.verdict?.comparisons.length, 8);
  assert.equal(results.samples[0]?.samples.length, 11);
  assert.deepEqual(results.failures[0], {
    contender: 'tbbmalloc',
    where: { suite: 'try', workload: 'g++', params: {} },
    exit: null,
    signal: 'SIGSEGV',
    why: 'killed by SIGSEGV',
    stderrTail: 'cc1plus: internal compiler error: Segmentation fault\n<stdin>: stopped.',
  });
});

test('counts parse without an interval', () => {
  const results = parseResults(JSON.stringify(full));
  const counts = results?.samples.filter((s) => s.suite === 'instructions') ?? [];
  assert.equal(counts.length, 30);
  assert.ok(counts.every((s) => s.interval === null && s.n === 1));
});

test('a command may be a list of arguments', () => {
  const json = changed((file) => (file['command'] = ['heapsmith', 'try', '--', 'ls']));
  assert.equal(parseResults(json)?.command, 'heapsmith try -- ls');
});

test('unknown members are ignored, since the schema may grow', () => {
  const json = changed((file, first) => (file['colour'] = first['mood'] = 'blue'));
  assert.equal(parseResults(json)?.samples.length, 24);
});

test('another version is refused', () => {
  assertFault(
    changed((file) => (file['version'] = 3)),
    /results\.version: expected 2, found 3/,
  );
});

test('every error names its position', () => {
  const faults: [(file: Json, first: Json) => void, RegExp][] = [
    [(_, r) => (r['median'] = 'fast'), /records\[0\]\.median: expected a finite number/],
    [(_, r) => (r['median'] = null), /records\[0\]\.median: expected a finite number, found null/],
    [(_, r) => delete r['metric'], /records\[0\]\.metric: expected a string, found nothing/],
    [(_, r) => (r['better'] = 'bigger'), /records\[0\]\.better: expected "lower" or "higher"/],
    [(_, r) => (r['kind'] = 'guess'), /records\[0\]\.kind: expected "sample" or "ratio"/],
    [(_, r) => (r['samples'] = [1, 'x']), /records\[0\]\.samples\[1\]: expected a finite number/],
    [(_, r) => (r['low'] = 1e9), /records\[0\]\.low: expected at most high/],
    [(_, r) => (r['params'] = { threads: {} }), /records\[0\]\.params\.threads: expected a string/],
    [(_, r) => (r['loaded'] = 'yes'), /records\[0\]\.loaded: expected true or false/],
    [(f) => (f['records'] = {}), /records: expected an array/],
    [(f) => (f['machine'] = 'mine'), /machine: expected an object/],
    [(f) => (f['contenders'] = [{}]), /contenders\[0\]\.name: expected a string/],
    [(f) => (f['failures'] = [[]]), /failures\[0\]: expected an object/],
    [(f) => delete (f['verdict'] as Json)['headline'], /verdict\.headline: expected a string/],
    [(f) => ((f['verdict'] as Json)['kind'] = 'maybe'), /verdict\.kind: expected "switch" or/],
    [(f) => (f['verdict'] = []), /verdict: expected an object/],
    [(f) => (f['proof'] = [{ contender: 'glibc' }]), /proof\[0\]\.program: expected a string/],
    [(f) => (f['advice'] = [{ workload: 'a' }]), /advice\[0\]\.advice: expected an object/],
    [
      (f) => (f['advice'] = [{ workload: 'a', advice: { pieces: [{ title: 1 }] } }]),
      /advice\[0\]\.advice\.pieces\[0\]\.title: expected a string/,
    ],
    [(f) => delete f['created'], /created: expected a string/],
  ];
  for (const [change, message] of faults) assertFault(changed(change), message);
});

test('curves parse; times and values must match', () => {
  const results = parseResults(JSON.stringify(server));
  assert.equal(results?.curves[0]?.times.length, results?.curves[0]?.values.length);
  const file = JSON.parse(JSON.stringify(server)) as { curves: { values: number[] }[] };
  file.curves[0]?.values.pop();
  assertFault(JSON.stringify(file), /curves\[0\]\.values: expected 241 values, as many as t_s/);
});

test('a failed round is null', () => {
  const results = parseResults(JSON.stringify(failure));
  const crashed = results?.samples.find((s) => s.contender === 'tbbmalloc');
  assert.equal(crashed?.n, 4);
  assert.equal(crashed.samples.length, 11);
  assert.equal(crashed.samples[4], null);
});

test('malformed JSON is an error', () => {
  assert.throws(() => parseResults('{'), SyntaxError);
});
