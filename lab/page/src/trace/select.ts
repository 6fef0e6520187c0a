// The numbers of sites in a part of the time: sums over bins.
import type { Range } from '../state';
import type { ByPower, Site, Trace } from './data';

/** The first bin, and the one behind the last. */
export type Span = readonly [from: number, to: number];

export interface Numbers {
  readonly calls: number;
  readonly bytes: number;
  /** In use when most bytes were in use. */
  readonly peak: number;
  /** Allocated then, and never freed. */
  readonly left: number;
  readonly ended: number;
  /** How long the ended blocks lived in all, in nanoseconds. */
  readonly lived: number;
}

export const none: Numbers = { calls: 0, bytes: 0, peak: 0, left: 0, ended: 0, lived: 0 };

export function added(a: Numbers, b: Numbers, share = 1): Numbers {
  return {
    calls: a.calls + share * b.calls,
    bytes: a.bytes + share * b.bytes,
    peak: a.peak + share * b.peak,
    left: a.left + share * b.left,
    ended: a.ended + share * b.ended,
    lived: a.lived + share * b.lived,
  };
}

/** The bins that a range of milliseconds touches; all if there is no range. */
export function spanOf(trace: Trace, range: Range): Span {
  const count = trace.bins.length;
  if (range === null || trace.bin === 0) return [0, count];
  const [from, to] = range.map((ms) => (ms * 1e6) / trace.bin);
  const first = Math.min(Math.max(Math.floor((from ?? 0) + 1e-6), 0), count - 1);
  return [first, Math.min(Math.max(Math.ceil((to ?? count) - 1e-6), first + 1), count)];
}

export function isWhole(trace: Trace, [from, to]: Span): boolean {
  return from === 0 && to >= trace.bins.length;
}

/** The bin with most bytes in use. */
export function highestBin(trace: Trace, [from, to]: Span): number {
  const { step, most } = trace.curve;
  const perBin = step > 0 ? Math.max(Math.round(trace.bin / step), 1) : 1;
  let best = from;
  let top = -1;
  for (let i = from * perBin; i < Math.min(to * perBin, most.length); i += 1) {
    const bytes = most[i] ?? 0;
    if (bytes > top) [best, top] = [Math.floor(i / perBin), bytes];
  }
  return best;
}

const lives = new WeakMap<Site, Float64Array>();

/** The bytes that a site has in use at the end of each bin. */
export function liveOf(trace: Trace, site: Site): Float64Array {
  const known = lives.get(site);
  if (known !== undefined) return known;
  const live = new Float64Array(trace.bins.length);
  const { at, bytes, freed } = site.series;
  for (const [i, bin] of at.entries()) live[bin] = (bytes[i] ?? 0) - (freed[i] ?? 0);
  let now = site.inherited;
  for (let i = 0; i < live.length; i += 1) {
    now += live[i] ?? 0;
    live[i] = now;
  }
  lives.set(site, live);
  return live;
}

/** The numbers of a site within a span. */
export function numbersOf(trace: Trace, site: Site, span: Span): Numbers {
  const whole = isWhole(trace, span);
  const [from, to] = span;
  const { at, ...columns } = site.series;
  let [calls, bytes, left, ended, lived] = [0, 0, 0, 0, 0];
  for (const [i, bin] of at.entries()) {
    if (bin < from || bin >= to) continue;
    calls += columns.calls[i] ?? 0;
    bytes += columns.bytes[i] ?? 0;
    left += columns.left[i] ?? 0;
    ended += columns.ended[i] ?? 0;
    lived += (columns.ended[i] ?? 0) * (columns.lived[i] ?? 0);
  }
  const highest = highestBin(trace, span);
  const hasPeak = highest === highestBin(trace, [0, trace.bins.length]);
  const peak = whole || hasPeak ? site.peak : (liveOf(trace, site)[highest] ?? 0);
  return { calls, bytes, peak, left, ended, lived };
}

/** A histogram of all bins of a span. */
export function histogram(trace: Trace, key: 'sizes' | 'lifetimes', [from, to]: Span): number[] {
  const sum: number[] = [];
  for (const bin of trace.bins.slice(from, to)) {
    const counts: ByPower = bin[key];
    for (const [power, n] of counts.entries()) sum[power] = (sum[power] ?? 0) + n;
  }
  return Array.from(sum, (n) => n);
}
