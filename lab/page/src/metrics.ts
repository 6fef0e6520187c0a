// The page's names for metrics. An unknown metric is shown under its own name.
import { sentenceCase } from './format';

export interface Metric {
  readonly key: string;
  /** The heading of a panel or column. */
  readonly title: string;
}

const known: readonly Metric[] = [
  { key: 'load_s', title: 'Load time' },
  { key: 'wall_s', title: 'Wall time' },
  { key: 'cpu_s', title: 'CPU time' },
  { key: 'pss_peak_bytes', title: 'Peak memory' },
  { key: 'pss_mean_bytes', title: 'Mean memory' },
  { key: 'peak_rss_bytes', title: 'Peak RSS' },
  { key: 'rss_idle_bytes', title: 'RSS after idle' },
  { key: 'page_faults', title: 'Page faults' },
  { key: 'pss_end_bytes', title: 'Memory at end' },
  { key: 'pss_idle_bytes', title: 'Memory after idle' },
  { key: 'pss_slope_bytes_per_min', title: 'Memory growth' },
  { key: 'instructions', title: 'Instructions' },
  { key: 'worst_instructions', title: 'Instructions of the worst call' },
  { key: 'call_ns', title: 'Time per call' },
  { key: 'rss_per_byte', title: 'RSS per byte' },
  { key: 'instructions_growth', title: 'Growth of instructions' },
  { key: 'time_growth', title: 'Growth of time' },
  { key: 'p50_ns', title: 'Median latency' },
  { key: 'p99_ns', title: 'p99 latency' },
  { key: 'p999_ns', title: 'p99.9 latency' },
  { key: 'worst_ns', title: 'Worst call' },
  { key: 'refused', title: 'Refused requests' },
  { key: 'push_s', title: 'Time to push' },
  { key: 'alloc_ns', title: 'Time to allocate' },
  { key: 'iterate_ns', title: 'Time to iterate' },
  { key: 'destroy_ns', title: 'Time to destroy' },
  { key: 'drop_ns', title: 'Time to drop' },
  { key: 'get_ns', title: 'Time to find' },
  { key: 'churn_ns', title: 'Time to replace' },
  { key: 'replay_s', title: 'Time in the allocator' },
  { key: 'at_peak_asked_bytes', title: 'Asked for' },
  { key: 'at_peak_rounding_bytes', title: 'Rounding' },
  { key: 'at_peak_threads_bytes', title: 'Kept for threads' },
  { key: 'at_peak_spans_bytes', title: 'Free in spans' },
  { key: 'at_peak_kept_bytes', title: 'Not returned' },
  { key: 'at_peak_others_bytes', title: 'Not the allocator’s' },
  { key: 'at_peak_unsplit_bytes', title: 'Not told apart' },
];

export function metricFor(key: string): Metric {
  return known.find((m) => m.key === key) ?? { key, title: sentenceCase(key) };
}

/** Known metrics first, the most interesting first; then the others, as in the file. */
export function inOrder(keys: readonly string[]): string[] {
  const rank = (key: string): number => {
    const at = known.findIndex((m) => m.key === key);
    return at < 0 ? known.length : at;
  };
  return [...keys].sort((a, b) => rank(a) - rank(b));
}

export const timeMetrics = ['load_s', 'wall_s', 'cpu_s'] as const;
export const memoryMetrics = ['pss_peak_bytes', 'pss_mean_bytes', 'peak_rss_bytes'] as const;

/** The parts of the memory at the peak of a replay, with the number of their colour. */
export const partsOfPeak = [
  { key: 'at_peak_asked_bytes', colour: 3 },
  { key: 'at_peak_rounding_bytes', colour: 7 },
  { key: 'at_peak_threads_bytes', colour: 4 },
  { key: 'at_peak_spans_bytes', colour: 5 },
  { key: 'at_peak_kept_bytes', colour: 2 },
  { key: 'at_peak_others_bytes', colour: 12 },
  { key: 'at_peak_unsplit_bytes', colour: 0 },
] as const;

/** Parts of a whole, and predictions: they have sections of their own. */
export function isOfReplays(key: string): boolean {
  return key.startsWith('at_peak_') || key.startsWith('foretold_');
}

/** The metrics of memory over time; the curves have a table of them. */
export function isSampledMemory(key: string): boolean {
  return key.startsWith('pss_');
}

/** Growth and the work of others may be zero, so ratios of them would say nothing. */
export function hasRatio(key: string): boolean {
  return !['pss_slope_bytes_per_min', 'others_cpus', 'stolen_cpus'].includes(key);
}

/** `wanted` if the case has it, otherwise the first of `choices` that it has. */
export function available(
  wanted: string,
  choices: readonly string[],
  keys: readonly string[],
): string | null {
  return keys.includes(wanted) ? wanted : (choices.find((key) => keys.includes(key)) ?? null);
}
