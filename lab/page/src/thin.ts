// Thins long curves: the lowest and the highest value of each bucket stay, so no peak gets lost.

export interface Points {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** At most four points for each of `buckets` equal parts of the time axis. */
export function thin({ times, values }: Points, buckets: number): Points {
  if (times.length <= 4 * buckets) return { times, values };
  const first = times[0] ?? 0;
  const span = (times[times.length - 1] ?? 0) - first;
  const kept: number[] = [];
  let start = 0;
  for (let bucket = 1; bucket <= buckets && start < times.length; bucket += 1) {
    const end = first + (span * bucket) / buckets;
    let [low, high, i] = [start, start, start];
    for (; i < times.length && ((times[i] ?? 0) <= end || bucket === buckets); i += 1) {
      if ((values[i] ?? 0) < (values[low] ?? 0)) low = i;
      if ((values[i] ?? 0) > (values[high] ?? 0)) high = i;
    }
    if (i === start) continue;
    kept.push(...[...new Set([start, low, high, i - 1])].sort((a, b) => a - b));
    start = i;
  }
  return { times: kept.map((i) => times[i] ?? 0), values: kept.map((i) => values[i] ?? 0) };
}

/** The value at a time, between its neighbours on a straight line; null outside the curve. */
export function valueAt({ times, values }: Points, time: number): number | null {
  const after = times.findIndex((t) => t >= time);
  const [t1, v1] = [times[after], values[after]];
  if (t1 === undefined || v1 === undefined) return null;
  if (after === 0) return t1 === time ? v1 : null;
  const [t0, v0] = [times[after - 1] ?? t1, values[after - 1] ?? v1];
  return t1 === t0 ? v1 : v0 + ((v1 - v0) * (time - t0)) / (t1 - t0);
}
