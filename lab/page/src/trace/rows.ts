// The rows of the table of sites: one for each line of code, or for each of the reader's own functions.
import { placeAt, placeName, siteName, type Name } from './names';
import { pathOf, sharesOf } from './paths';
import { added, none, numbersOf, type Numbers, type Span } from './select';
import type { Site, Trace } from './data';

export interface Row extends Name {
  readonly numbers: Numbers;
}

export type Order = 'bytes' | 'calls' | 'peak' | 'left' | 'lifetime';
export const orders: readonly Order[] = ['bytes', 'calls', 'peak', 'left', 'lifetime'];

/** The mean lifetime of ended blocks, in nanoseconds. */
export function lifetime({ ended, lived }: Numbers): number {
  return ended > 0 ? lived / ended : 0;
}

export function valueOf(numbers: Numbers, order: Order): number {
  return order === 'lifetime' ? lifetime(numbers) : numbers[order];
}

function othersRow(trace: Trace, others: Site, span: Span): Row {
  const name = trace.otherSites === 1 ? '1 other site' : `${trace.otherSites} other sites`;
  return { name, line: '', note: '', numbers: numbersOf(trace, others, span) };
}

/** Sites whose call the reader did not write belong to the nearest function that the reader did. */
function ownRows(trace: Trace, span: Span): Row[] {
  const rows = new Map<number, Row>();
  const add = (index: number, numbers: Numbers, part: number): void => {
    const known = rows.get(index);
    const name =
      index < 0
        ? { name: 'System libraries alone', line: '', note: 'no function of yours in these stacks' }
        : placeName(placeAt(trace, index));
    rows.set(index, { ...name, numbers: added(known?.numbers ?? none, numbers, part) });
  };
  for (const [i, shares] of sharesOf(trace).entries()) {
    const site = trace.sites[i];
    if (site === undefined) continue;
    const numbers = numbersOf(trace, site, span);
    for (const { node, part } of shares) {
      const own = pathOf(trace, node).find((index) => placeAt(trace, index).isOwn);
      add(own ?? -1, numbers, part);
    }
  }
  return [...rows.values()];
}

/** One row for each name. The compiler copies a line to each place that it is inlined into. */
function allRows(trace: Trace, span: Span): Row[] {
  const rows = new Map<string, Row>();
  for (const [i, site] of trace.sites.entries()) {
    const name = siteName(trace, i);
    const key = [name.name, name.line, name.note].join('\n');
    const numbers = added(rows.get(key)?.numbers ?? none, numbersOf(trace, site, span));
    rows.set(key, { ...name, numbers });
  }
  return [...rows.values()];
}

export function rowsOf(trace: Trace, span: Span, code: 'all' | 'own'): Row[] {
  const rows = code === 'own' ? ownRows(trace, span) : allRows(trace, span);
  const shown = rows.filter(({ numbers: n }) => n.calls + n.bytes + n.peak + n.ended > 0);
  return trace.others === null ? shown : [...shown, othersRow(trace, trace.others, span)];
}
