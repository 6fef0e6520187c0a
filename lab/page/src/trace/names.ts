// The names of sites and places.
import { pathOf, sharesOf } from './paths';
import type { Place, Trace } from './data';

export interface Name {
  readonly name: string;
  readonly line: string;
  /** How it is reached, or which library it is in; may be empty. */
  readonly note: string;
}

const unknown: Place = { name: '?', line: '', module: '', isOwn: true };

export function placeAt(trace: Trace, index: number | undefined): Place {
  return (index === undefined ? undefined : trace.places[index]) ?? unknown;
}

/** The reader's functions that are nearest to the calls of a site, the most frequent first. */
function ownCallers(trace: Trace, site: number): Place[] {
  const nearest = (sharesOf(trace)[site] ?? []).map(({ node }) =>
    pathOf(trace, node).find((index) => placeAt(trace, index).isOwn),
  );
  return [...new Set(nearest)].flatMap((i) => (i === undefined ? [] : [placeAt(trace, i)]));
}

/** A site is called after the reader's function, where the call itself is in a standard library. */
export function siteName(trace: Trace, site: number): Name {
  const places = (trace.sites[site]?.places ?? []).map((index) => placeAt(trace, index));
  const first = places[0] ?? unknown;
  const inlined = places.find((p) => p.isOwn);
  const callers = inlined === undefined ? ownCallers(trace, site) : [inlined];
  const [own = first] = callers;
  const more = callers.length > 1 ? ` and ${callers.length - 1} more` : '';
  const note = own === first ? (own.isOwn ? '' : own.module) : `through ${first.name}`;
  return { name: own.name + more, line: own.line, note };
}

export function placeName({ name, line, module, isOwn }: Place): Name {
  return { name, line, note: isOwn ? '' : module };
}

/** Whether a search text occurs in a name. */
export function matches({ name, line, note }: Name, find: string): boolean {
  const words = find.toLowerCase().split(/\s+/);
  const all = `${name} ${line} ${note}`.toLowerCase();
  return words.every((word) => all.includes(word));
}
