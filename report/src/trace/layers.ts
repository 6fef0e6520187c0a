// The sites that had most bytes in use, as layers of the chart of live bytes.
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

const known = new WeakMap<Trace, readonly Layer[]>();

/** The largest first; the rest comes last, in grey. */
export function layersOf(trace: Trace): readonly Layer[] {
  const before = known.get(trace);
  if (before !== undefined) return before;
  const all = trace.sites.map((site) => {
    const live = liveOf(trace, site);
    return {
      site,
      live,
      top: Math.max(
        site.peak,
        live.reduce((a, b) => Math.max(a, b), 0),
      ),
    };
  });
  all.sort((a, b) => b.top - a.top);
  const shown = all.slice(0, most).filter(({ top }) => top > 0.005 * trace.info.peakBytes);
  const layers: Layer[] = shown.map(({ site, live }, i) => ({
    ...siteName(trace, site),
    live,
    colour: `--c${slots[i] ?? 0}`,
  }));
  const rest = new Float64Array(trace.bins.length);
  const sites = [...all.slice(shown.length).map(({ live }) => live)];
  if (trace.others !== null) sites.push(liveOf(trace, trace.others));
  for (const live of sites)
    for (let i = 0; i < rest.length; i += 1) rest[i] = (rest[i] ?? 0) + (live[i] ?? 0);
  if (sites.length > 0) {
    layers.push({ name: 'All other sites', line: '', note: '', live: rest, colour: '--c0' });
  }
  known.set(trace, layers);
  return layers;
}
