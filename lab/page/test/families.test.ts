// Cases that differ in one number, and where these numbers stand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familiesOf, positions } from '../src/families';
import { clearOf } from '../src/axis';
import { caseOf } from '../src/places';
import type { Params } from '../src/data';

const of = (workload: string, params: Params) => caseOf({ suite: 'scale', workload, params });

test('a family has the cases that differ in one number only', () => {
  const cases = [
    of('heirs', { threads: 10, size: 64 }),
    of('heirs', { threads: 1, size: 64 }),
    of('heirs', { threads: 2, size: 64 }),
    of('heirs', { threads: 2, size: 128 }),
    of('other', { threads: 5, size: 64 }),
  ];
  const first = cases[0];
  assert.ok(first !== undefined);
  const families = familiesOf(cases, first);
  assert.deepEqual(
    families.map(({ key, cases: all }) => [key, all.map(({ value }) => value)]),
    [['threads', [1, 2, 10]]],
  );
  const last = cases[4];
  assert.ok(last !== undefined);
  assert.deepEqual(familiesOf(cases, last), [], 'one case is no family');
});

test('texts are no numbers', () => {
  const cases = ['a', 'b', 'c'].map((kind) => of('heirs', { kind }));
  assert.deepEqual(cases[0] === undefined ? null : familiesOf(cases, cases[0]), []);
});

test('numbers stand by their logarithms, or by themselves on a linear scale or if one is zero', () => {
  assert.deepEqual(positions([1, 10, 100], 'log'), [0, 0.5, 1]);
  assert.deepEqual(positions([0, 5, 20], 'log'), [0, 0.25, 1]);
  assert.deepEqual(positions([2, 7, 22], 'linear'), [0, 0.25, 1]);
  assert.deepEqual(positions([7], 'log'), [0]);
});

test('names below are left out where they would cover another; the last one stays', () => {
  const ticks = [0, 0.001, 0.01, 1].map((at) => ({ at, label: `${at}` }));
  const shown = clearOf(
    ticks,
    (at) => 20 + at * 370,
    400,
    () => 30,
  );
  assert.deepEqual(
    shown.map(({ label, middle }) => [label, middle]),
    [
      ['1', 385],
      ['0.01', 23.7],
    ],
  );
});
