// Where a trace comes from, what its calls were, and what the recording lacks.
import { h, scrollable, tableOf } from '../dom';
import { date, unbroken } from '../format';
import { bytes, count, follow, time } from './scene';
import type { Store } from '../state';
import type { Trace, Traces } from './data';

function facts({ command, pid, info, bins, bin }: Trace, created: string): HTMLElement {
  const list: [string, Node | string][] = [
    ['Command', h('code', {}, command === '' ? 'not known' : command)],
    ['Page written', h('time', { datetime: created }, date(created))],
    ['Process', pid === 0 ? 'not known' : `${pid}`],
    ['Events', count(info.events)],
    ['Recorded for', time(info.duration)],
    ['Bins of the time', `${bins.length}, each of ${time(bin)}`],
    ['Resized in place', count(info.resizedInPlace)],
    ['Resized and moved', count(info.resizedMoved)],
    ['Freed by another thread', count(info.freedByAnotherThread)],
    ['Calls that failed', count(info.failed)],
  ];
  if (info.inheritedBytes > 0) list.push(['In use from the parent', bytes(info.inheritedBytes)]);
  const rows = list.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  return h('dl', { class: 'facts' }, ...rows);
}

function callTable({ info }: Trace): HTMLElement {
  const calls = [...info.calls].sort((a, b) => b[1] - a[1]);
  const table = tableOf(
    null,
    [h('th', { scope: 'col' }, 'Function'), h('th', { scope: 'col', class: 'number' }, 'Calls')],
    calls.map(([name, n]) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, h('code', {}, name)),
        h('td', { class: 'number' }, count(n)),
      ),
    ),
  );
  return scrollable('Functions of the allocator', table);
}

export function traceFacts(store: Store, traces: Traces): HTMLElement {
  const box = h('div');
  follow(store, traces, ({ trace }) => {
    const lacks = trace.lacks.map((line) => h('li', {}, unbroken(line)));
    box.replaceChildren(
      facts(trace, traces.created),
      ...(lacks.length > 0 ? [h('h3', {}, 'About this recording'), h('ul', {}, ...lacks)] : []),
      callTable(trace),
    );
  });
  return box;
}
