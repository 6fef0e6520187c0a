// The threads of a trace: what each did, and when.
import { h, scrollable, svg, tableOf } from '../dom';
import { bytes, count, follow } from './scene';
import type { Store } from '../state';
import type { Thread, Trace, Traces } from './data';
import type { Span } from './select';

/** A strip over the time: the darker, the more calls. */
function strip(trace: Trace, thread: Thread, most: number, [from, to]: Span): SVGElement {
  const bins = trace.bins.length;
  const marks = thread.at.map((bin, i) => {
    const part = Math.log1p(thread.callsAt[i] ?? 0) / Math.log1p(Math.max(most, 1));
    const isChosen = bin >= from && bin < to;
    return svg('rect', {
      x: bin,
      y: 0,
      width: 1.02,
      height: 1,
      class: 'busy',
      style: `opacity: ${((0.15 + 0.85 * part) * (isChosen ? 1 : 0.25)).toFixed(2)}`,
    });
  });
  return svg(
    'svg',
    {
      'class': 'activity',
      'viewBox': `0 0 ${bins} 1`,
      'preserveAspectRatio': 'none',
      'aria-hidden': 'true',
    },
    ...marks,
  );
}

function row(trace: Trace, thread: Thread, most: number, span: Span): HTMLElement {
  const [from, to] = span;
  const calls = thread.at.reduce(
    (sum, bin, i) => (bin >= from && bin < to ? sum + (thread.callsAt[i] ?? 0) : sum),
    0,
  );
  const name = thread.number === 1 ? 'Thread 1, the first' : `Thread ${thread.number}`;
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, name),
    h('td', { class: 'number' }, count(calls)),
    h('td', { class: 'number' }, bytes(thread.bytes)),
    h('td', { class: 'number' }, thread.freedOfOthers === 0 ? '–' : count(thread.freedOfOthers)),
    h('td', { class: 'wide' }, strip(trace, thread, most, span)),
  );
}

export function threadTable(store: Store, traces: Traces): HTMLElement {
  const box = h('div');
  follow(store, traces, ({ trace, span }) => {
    const most = Math.max(0, ...trace.threads.flatMap((t) => t.callsAt));
    const heads = ['Thread', 'Calls', 'Bytes', 'Blocks of others freed', 'Calls over time'];
    const table = tableOf(
      'threads',
      heads.map((t, i) => h('th', { scope: 'col', class: i > 0 && i < 4 ? 'number' : null }, t)),
      trace.threads.map((thread) => row(trace, thread, most, span)),
    );
    const left = trace.otherThreads;
    const more =
      left > 0 ? h('p', { class: 'quiet' }, `${count(left)} more threads made fewer calls.`) : null;
    box.replaceChildren(...[scrollable('Threads', table), more].filter((n) => n !== null));
  });
  return box;
}
