// Ratios against a baseline that the command did not use: paired rounds, median and interval.
import type { Interval } from './data';

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('median of an empty list');
  const s = sorted(values);
  const mid = s.length >> 1;
  const upper = s[mid] ?? NaN;
  return s.length % 2 === 1 ? upper : ((s[mid - 1] ?? NaN) + upper) / 2;
}

/**
 * The number of values to drop at each end so that the rest still covers the true median with at
 * least 95 %: the largest k with P(Binomial(n, 1/2) < k) <= 2.5 %. Zero if n < 6 (no interval).
 */
export function droppedRanks(n: number): number {
  let term = 0.5 ** n; // P(X = i), from i = 0
  let tail = term; // P(X <= i)
  let k = 0;
  while (tail <= 0.025) {
    k += 1;
    term *= (n - k + 1) / k;
    tail += term;
  }
  return k;
}

/** The 95 % order-statistic interval of the median; null for fewer than 6 values. */
export function medianInterval(values: readonly number[]): Interval | null {
  const k = droppedRanks(values.length);
  if (k === 0) return null;
  const s = sorted(values);
  const low = s[k - 1];
  const high = s[s.length - k];
  return low === undefined || high === undefined ? null : { low, high };
}

type Rounds = readonly (number | null)[];

/** The ratio a / b of each round that both finished; none if a baseline value is not positive. */
export function pairedRatios(a: Rounds, b: Rounds): number[] {
  const pairs = a.flatMap((v, i): [number, number][] => {
    const other = b[i];
    return v === null || other === null || other === undefined ? [] : [[v, other]];
  });
  return pairs.some(([, other]) => other <= 0) ? [] : pairs.map(([v, other]) => v / other);
}

/** The noise of a measurement: half the width of the interval as a part of the median. */
export function relativeNoise(mid: number, interval: Interval | null): number | null {
  if (interval === null || mid <= 0) return null;
  return (interval.high - interval.low) / 2 / mid;
}
