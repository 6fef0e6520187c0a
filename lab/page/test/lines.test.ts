// Curves with many points: thinning keeps every peak, and names move apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart } from '../src/apart';
import { clockFor } from '../src/lines';
import { thin, valueAt } from '../src/thin';

test('thinning keeps the ends, the highest and the lowest value, and the order of times', () => {
  const times = Array.from({ length: 50_000 }, (_, i) => i / 100);
  const values = times.map((t, i) => (i === 31_415 ? 1000 : i === 27_182 ? -1000 : Math.sin(t)));
  const thinned = thin({ times, values }, 500);
  assert.ok(thinned.times.length <= 2000 && thinned.times.length > 500);
  assert.ok(thinned.values.includes(1000) && thinned.values.includes(-1000));
  assert.equal(thinned.times[0], times[0]);
  assert.equal(thinned.times[thinned.times.length - 1], times[times.length - 1]);
  assert.ok(thinned.times.every((t, i, all) => i === 0 || t > (all[i - 1] ?? 0)));
});

test('short curves stay as they are, also with equal times or gaps', () => {
  const few = { times: [0, 1, 1], values: [3, 4, 5] };
  assert.deepEqual(thin(few, 10), few);
  const gap = { times: [0, 1, 2, 3, 1000], values: [1, 2, 3, 4, 5] };
  assert.deepEqual(thin(gap, 1), { times: [0, 1000], values: [1, 5] });
});

test('a value between two points lies on the line between them', () => {
  const curve = { times: [1, 2, 4], values: [10, 20, 40] };
  assert.equal(valueAt(curve, 1), 10);
  assert.equal(valueAt(curve, 3), 30);
  assert.equal(valueAt(curve, 0.9), null);
  assert.equal(valueAt(curve, 4.1), null);
});

test('names move apart, keep their order and stay inside', () => {
  const placed = apart([100, 101, 102, 10], 17, 110);
  assert.deepEqual(
    placed.map((y) => Math.round(y)),
    [76, 93, 110, 10],
  );
  assert.deepEqual(apart([], 17, 100), []);
});

test('the time axis has a suitable unit', () => {
  assert.equal(clockFor(60).name, 's');
  assert.equal(clockFor(1200).name, 'min');
  assert.equal(clockFor(86_400).name, 'h');
});
