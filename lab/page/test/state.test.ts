// The view in the hash: it survives a round trip, and malformed hashes do no harm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash, parseHash, Store, type View } from '../src/state';

const usual: View = {
  baseline: 'as-built',
  case: 'try/g++',
  hidden: [],
  scale: 'log',
  mode: 'relative',
  time: 'wall_s',
  memory: 'rss',
  heat: 'wall_s',
  range: null,
  trace: 'a.trace',
  span: null,
  by: 'bytes',
  sites: 'table',
  flame: 'callers',
  code: 'all',
  find: '',
  theme: 'auto',
};

const choices = {
  baselines: ['as-built', 'glibc', 'a&b=c #1'],
  cases: ['try/g++', 'heap/grow/threads=1'],
  metrics: ['wall_s', 'cpu_s', 'rss', 'pss', 'page_faults'],
  traces: ['a.trace', 'b&c.trace'],
};

test('the default view has no hash', () => {
  assert.equal(formatHash(usual, usual), '');
  assert.deepEqual(parseHash('', usual, choices), usual);
});

test('a hash restores any view, also with unusual names', () => {
  const view: View = {
    baseline: 'a&b=c #1',
    case: 'heap/grow/threads=1',
    hidden: ['glibc', 'a&b=c #1'],
    scale: 'linear',
    mode: 'absolute',
    time: 'cpu_s',
    memory: 'pss',
    heat: 'page_faults',
    range: [10, 25.5],
    trace: 'b&c.trace',
    span: [0.001, 2],
    by: 'left',
    sites: 'flame',
    flame: 'calls',
    code: 'own',
    find: 'std::vector<…> 100%&#',
    theme: 'dark',
  };
  assert.deepEqual(parseHash(formatHash(view, usual), usual, choices), view);
});

test('values that do not fit this file are replaced by the defaults', () => {
  const hash =
    '#baseline=other&case=x&scale=cubic&mode=&theme=pink&time=x&memory=y&heat=y&range=9-3&hide=other&z=1&trace=x&span=2-1&by=x&sites=&flame=x&code=y';
  assert.deepEqual(parseHash(hash, usual, choices), usual);
  assert.deepEqual(parseHash('#%%%', usual, choices), usual);
  assert.deepEqual(parseHash('#hide=glibc&hide=glibc', usual, choices).hidden, ['glibc']);
});

test('the store notifies every watcher at once and on each change', () => {
  const store = new Store(usual);
  const seen: string[] = [];
  store.watch((view) => seen.push(view.hidden.join()));
  store.toggle('glibc');
  store.toggle('as-built');
  store.toggle('glibc');
  assert.deepEqual(seen, ['', 'glibc', 'glibc,as-built', 'as-built']);
  store.set({ scale: 'linear' });
  assert.deepEqual(store.view, { ...usual, hidden: ['as-built'], scale: 'linear' });
});
