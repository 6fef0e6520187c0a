// The table of sites: sorted by a column, filtered by a search text.
import { h, scrollable, tableOf } from '../dom';
import { matches } from './names';
import { lifetime, orders, rowsOf, valueOf, type Order, type Row } from './rows';
import { bytes, count, follow, time, type Scene } from './scene';
import type { Store } from '../state';
import type { Traces } from './data';

/** More rows are shown on demand. */
const shownFirst = 20;

const heads: Readonly<Record<Order, readonly [title: string, note: string]>> = {
  calls: ['Calls', 'Blocks that the site allocated'],
  bytes: ['Bytes', 'Their bytes, as asked for'],
  peak: ['At the peak', 'Bytes in use when the program had most bytes in use'],
  left: ['Never freed', 'Bytes that were still in use at the end'],
  lifetime: ['Mean lifetime', 'Of the blocks that were freed'],
};
const columns: readonly Order[] = ['calls', 'bytes', 'peak', 'left', 'lifetime'];

function shown(row: Row, order: Order): string {
  const { numbers } = row;
  if (order === 'lifetime') return numbers.ended > 0 ? time(lifetime(numbers)) : '–';
  const value = valueOf(numbers, order);
  if (Math.round(value) === 0) return '–';
  return order === 'calls' ? count(value) : bytes(value);
}

function head(store: Store, order: Order, current: Order): HTMLElement {
  const [title, note] = heads[order];
  const button = h(
    'button',
    { 'type': 'button', 'class': 'name', 'title': note, 'data-by': order },
    title,
  );
  button.addEventListener('click', () => {
    store.set({ by: order });
    document.querySelector<HTMLElement>(`#sites [data-by="${order}"]`)?.focus();
  });
  const sort = order === current ? 'descending' : null;
  return h('th', { 'class': 'number', 'scope': 'col', 'aria-sort': sort }, button);
}

function rowOf(row: Row, by: Order, most: number): HTMLElement {
  const share = most > 0 ? valueOf(row.numbers, by) / most : 0;
  const where = [row.line, row.note].filter((part) => part !== '').join(', ');
  const name = h('th', { scope: 'row' }, h('span', { title: row.name }, row.name));
  if (where !== '') name.append(h('small', {}, where));
  const cells = columns.map((order) =>
    h(
      'td',
      {
        class: order === by ? 'number sorted' : 'number',
        style: order === by ? `--share: ${(100 * share).toFixed(1)}%` : null,
      },
      shown(row, order),
    ),
  );
  return h('tr', {}, name, ...cells);
}

/** The rows that fit the search text, the largest first. */
export function sortedRows({ trace, span, view }: Scene): Row[] {
  const by = orders.find((o) => o === view.by) ?? 'bytes';
  const rows = rowsOf(trace, span, view.code).filter((row) => matches(row, view.find));
  return rows.sort((a, b) => valueOf(b.numbers, by) - valueOf(a.numbers, by));
}

export function siteTable(store: Store, traces: Traces): HTMLElement {
  let all = false;
  const box = h('div');
  const more = h('button', { type: 'button', class: 'button' });
  let last: Scene | null = null;
  const draw = (scene: Scene): void => {
    last = scene;
    const rows = sortedRows(scene);
    const { by } = scene.view;
    const most = Math.max(0, ...rows.map(({ numbers }) => valueOf(numbers, by)));
    const visible = all ? rows : rows.slice(0, shownFirst);
    const table = tableOf(
      'sites',
      [h('th', { scope: 'col' }, 'Site'), ...columns.map((order) => head(store, order, by))],
      visible.map((row) => rowOf(row, by, most)),
    );
    const empty = h(
      'p',
      { class: 'quiet' },
      'No site has this in its name, its file or its library.',
    );
    box.replaceChildren(rows.length > 0 ? scrollable('Sites', table) : empty);
    more.hidden = rows.length <= shownFirst;
    more.textContent = all ? `Show the first ${shownFirst}` : `Show all ${rows.length} sites`;
  };
  more.addEventListener('click', () => {
    all = !all;
    if (last !== null) draw(last);
  });
  follow(store, traces, draw);
  return h('div', {}, box, more);
}
