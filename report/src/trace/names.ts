// What a site or a place is called.
import type { Place, Site, Trace } from './data';

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

/** A site is called after the reader's function, where the call itself is in a standard library. */
export function siteName(trace: Trace, site: Site): Name {
  const places = site.places.map((index) => placeAt(trace, index));
  const first = places[0] ?? unknown;
  const own = places.find((p) => p.isOwn) ?? first;
  const note = own === first ? (own.isOwn ? '' : own.module) : `through ${first.name}`;
  return { name: own.name, line: own.line, note };
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
