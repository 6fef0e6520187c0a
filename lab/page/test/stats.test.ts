// Compares statistics with values computed by hand and with the binomial distribution.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as stats from '../src/stats';

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-12 * Math.abs(expected), `${actual} ≠ ${expected}`);
}

test('the median of odd and even numbers of unsorted values', () => {
  assert.equal(stats.median([3, 1, 2]), 2);
  assert.equal(stats.median([10, 9, 2, 1]), 5.5);
  assert.equal(stats.median([7]), 7);
  assert.throws(() => stats.median([]), RangeError);
});

/** P(Binomial(n, 1/2) < k), by summing exact binomial coefficients. */
function tail(n: number, k: number): number {
  let sum = 0n;
  let coefficient = 1n;
  for (let i = 0; i < k; i += 1) {
    sum += coefficient;
    coefficient = (coefficient * BigInt(n - i)) / BigInt(i + 1);
  }
  return Number(sum) / 2 ** n;
}

test('the largest number of ranks that 95 % allow is dropped', () => {
  for (let n = 1; n <= 50; n += 1) {
    const k = stats.droppedRanks(n);
    assert.ok(tail(n, k) <= 0.025, `n = ${n}: covers less than 95 %`);
    assert.ok(tail(n, k + 1) > 0.025, `n = ${n}: wider than it must be`);
  }
});

test('the ranks for common numbers of rounds', () => {
  assert.deepEqual(
    [5, 6, 8, 9, 11, 12, 15, 20].map((n) => stats.droppedRanks(n)),
    [0, 1, 1, 2, 2, 3, 4, 6],
  );
});

test('the ends of an interval are sorted values', () => {
  const values = [5, 3, 11, 1, 9, 7, 2, 10, 4, 8, 6];
  assert.deepEqual(stats.medianInterval(values), { low: 2, high: 10 });
  assert.equal(stats.medianInterval([1, 2, 3, 4, 5]), null);
  assert.deepEqual(stats.medianInterval([6, 5, 4, 3, 2, 1]), { low: 1, high: 6 });
});

test('ratios pair the rounds that both finished', () => {
  assert.deepEqual(stats.pairedRatios([2, 9], [1, 3]), [2, 3]);
  assert.deepEqual(stats.pairedRatios([2, null, 8], [1, 3, null]), [2]);
  assert.deepEqual(stats.pairedRatios([1, 2], [1]), [1]);
  assert.deepEqual(stats.pairedRatios([], []), []);
  assert.deepEqual(stats.pairedRatios([1], [0]), []);
});

test('the noise is half the width of the interval', () => {
  near(stats.relativeNoise(10, { low: 9, high: 11 }) ?? NaN, 0.1);
  assert.equal(stats.relativeNoise(10, null), null);
});
