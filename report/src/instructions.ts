// Instruction counts of warm paths. They are exact and have no intervals; the lowest is marked.
import type { Context } from './context';
import { h, scrollable } from './dom';
import { digits, quantity } from './format';
import { headCell } from './heatmap';
import type { Case } from './compare';

export const instructionsSuite = 'instructions';

/** A count with at most two digits after the point, and none for whole numbers. */
function count(value: number): string {
  return Number.isInteger(value) ? quantity(value, 'instructions') : digits(value);
}

export function instructionsTable(context: Context, cases: readonly Case[]): HTMLElement {
  const { table, view } = context;
  const metric = 'instructions';
  const names = table.contenders.filter(
    (name) =>
      !view.hidden.includes(name) && cases.some((c) => table.sample(c.id, metric, name) !== null),
  );
  const rows = cases.map((row) => {
    const values = names.map((name) => table.sample(row.id, metric, name)?.median ?? null);
    const fewest = Math.min(...values.filter((v) => v !== null));
    const cells = values.map((v) =>
      v === null
        ? h('td', { class: 'number empty' }, '–')
        : h('td', { class: 'number' }, v === fewest ? h('strong', {}, count(v)) : count(v)),
    );
    return h('tr', {}, h('th', { scope: 'row' }, row.label), ...cells);
  });
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'Path'),
    ...names.map((n) => headCell(context, n)),
  );
  const parts = [h('thead', {}, head), h('tbody', {}, ...rows)];
  return scrollable('Instruction counts', h('table', { class: 'heat' }, ...parts));
}
