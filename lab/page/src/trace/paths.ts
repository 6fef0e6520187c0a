// The stacks of sites: paths of places, each with its part of the site's numbers.
import type { Trace } from './data';

/** The places of a stack, from the call outwards. */
export function pathOf(trace: Trace, node: number): number[] {
  const { parent, place } = trace.stacks;
  const path: number[] = [];
  for (let n = node; n > 0; n = parent[n - 1] ?? 0) path.push(place[n - 1] ?? 0);
  return path;
}

export interface Share {
  readonly node: number;
  /** The part of the site's numbers. */
  readonly part: number;
}

const known = new WeakMap<Trace, readonly (readonly Share[])[]>();

/** The stacks of each site, the most frequent first. */
export function sharesOf(trace: Trace): readonly (readonly Share[])[] {
  const before = known.get(trace);
  if (before !== undefined) return before;
  const counted: Share[][] = trace.sites.map(() => []);
  for (const { site, node, samples } of trace.stacks.stacks) {
    counted[site]?.push({ node, part: samples });
  }
  const shares = counted.map((list) => {
    const all = list.reduce((sum, s) => sum + s.part, 0);
    const parts = list.map(({ node, part }) => ({ node, part: part / Math.max(all, 1) }));
    return parts.sort((a, b) => b.part - a.part);
  });
  known.set(trace, shares);
  return shares;
}
