// Invented latencies and costs over a parameter, and figures that somebody else published.
import type { Json } from './assemble';
import type { Row } from './invent';

const characters: Readonly<Record<string, number>> = {
  'glibc': 1,
  'heapsmith': 0.7,
  'jemalloc-debian': 1.1,
  'mimalloc-debian': 0.8,
  'tbbmalloc': 1.3,
};

/** Eight rounds that differ a little, in no order. */
function around(value: number): number[] {
  return [0, 3, -2, 1, -3, 2, -1, 4].map((step) => Number((value * (1 + step / 200)).toFixed(3)));
}

function rows(
  suite: string,
  workload: string,
  params: Record<string, number>,
  metric: string,
  value: number,
): Row[] {
  return Object.entries(characters).map(([contender, factor]) => ({
    suite,
    workload,
    params,
    contender,
    metric,
    unit: metric.endsWith('_ns') ? 'ns' : '1',
    samples: around(value * factor),
  }));
}

const quantiles: readonly [string, number][] = [
  ['p50_ns', 21],
  ['p99_ns', 140],
  ['p999_ns', 1900],
  ['worst_ns', 2_400_000],
];

/** Latencies of three cases that differ in their threads. */
export function latencies(): Row[] {
  return [1, 2, 32].flatMap((threads) =>
    quantiles.flatMap(([metric, value], i) =>
      rows('latency', 'threads', { threads }, metric, value * (1 + (threads * i) / 8)),
    ),
  );
}

/** Costs among a thousand to a million elements. */
export function growth(): Row[] {
  return [1000, 10_000, 100_000, 1_000_000].flatMap((n) => {
    const value = 30 * (1 + Math.log10(n));
    return [
      ...rows('growth', 'set-exchange', { n }, 'call_ns', value),
      ...(n > 1000 ? rows('growth', 'set-exchange', { n }, 'time_growth', Math.log10(n) / 3) : []),
    ];
  });
}

/** Half of the value around which glibc's rounds lie; at the largest n nothing was published. */
export function published(): Json[] {
  return [1000, 10_000, 100_000].map((n) => ({
    suite: 'growth',
    workload: 'set-exchange',
    params: { n },
    metric: 'call_ns',
    unit: 'ns',
    contender: 'a list of 1999',
    value: 15 * (1 + Math.log10(n)),
    source: 'an invented README, 1999',
  }));
}
