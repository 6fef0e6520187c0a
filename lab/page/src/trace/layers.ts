// The functions that had most bytes in use, as layers of the chart of live bytes.
import { siteName, type Name } from './names';
import { liveOf } from './select';
import type { Trace } from './data';

/** More cannot be told apart. */
const most = 6;
const slots = [3, 2, 4, 5, 7, 8];

export interface Layer extends Name {
  /** Bytes at the end of each bin. */
  readonly live: Float64Array;
  /** A variable of the style sheet. */
  readonly colour: string;
}

function add(to: Float64Array, more: Float64Array): void {
  for (let i = 0; i < to.length; i += 1) to[i] = (to[i] ?? 0) + (more[i] ?? 0);
}

function highest(values: Float64Array): number {
  return values.reduce((a, b) => Math.max(a, b), 0);
}

/** Sites of one function at one line are one layer. */
function groups(trace: Trace): { name: Name; live: Float64Array; peak: number }[] {
  const all = new Map<string, { name: Name; live: Float64Array; peak: number }>();
  for (const [i, site] of trace.sites.entries()) {
    const name = siteName(trace, i);
    const key = `${name.name}\0${name.line}`;
    const group = all.get(key) ?? { name, live: new Float64Array(trace.bins.length), peak: 0 };
    add(group.live, liveOf(trace, site));
    group.peak += site.peak;
    all.set(key, group);
  }
  const top = ({ live, peak }: { live: Float64Array; peak: number }): number =>
    Math.max(peak, highest(live));
  return [...all.values()].sort((a, b) => top(b) - top(a));
}

const known = new WeakMap<Trace, readonly Layer[]>();

/** The largest first; the rest comes last, in grey. */
export function layersOf(trace: Trace): readonly Layer[] {
  const before = known.get(trace);
  if (before !== undefined) return before;
  const all = groups(trace);
  const small = 0.005 * trace.info.peakBytes;
  const shown = all
    .slice(0, most)
    .filter(({ live, peak }) => Math.max(peak, highest(live)) > small);
  const layers: Layer[] = shown.map(({ name, live }, i) => ({
    ...name,
    live,
    colour: `--c${slots[i] ?? 0}`,
  }));
  const rest = new Float64Array(trace.bins.length);
  for (const { live } of all.slice(shown.length)) add(rest, live);
  if (trace.others !== null) add(rest, liveOf(trace, trace.others));
  if (highest(rest) > 0) {
    layers.push({ name: 'All other sites', line: '', note: '', live: rest, colour: '--c0' });
  }
  known.set(trace, layers);
  return layers;
}
