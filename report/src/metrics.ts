// The page's names for metrics. An unknown metric is shown under its own name.

export interface Metric {
  readonly key: string;
  /** The heading of a panel or column. */
  readonly title: string;
  /** As in "12 % less …". */
  readonly noun: string;
}

export const wall: Metric = { key: 'wall_s', title: 'Wall time', noun: 'wall time' };
export const cpu: Metric = { key: 'cpu_s', title: 'CPU time', noun: 'CPU time' };
export const rss: Metric = { key: 'peak_rss_bytes', title: 'Peak memory', noun: 'peak memory' };
export const faults: Metric = { key: 'page_faults', title: 'Page faults', noun: 'page faults' };

/** The metrics that have a panel, the most interesting first. */
export const panels: readonly Metric[] = [wall, cpu, rss, faults];

export function metricFor(key: string): Metric {
  return panels.find((m) => m.key === key) ?? { key, title: key, noun: key };
}
