// Instruction counts of warm paths. They are exact and have no intervals; the lowest is marked.
import { isShown, type Context } from './context';
import { h, scrollable, tableOf } from './dom';
import { quantity } from './format';
import { headCell } from './heatmap';
import type { Case } from './places';

export const instructionsSuite = 'instructions';

export function instructionsTable(context: Context, cases: readonly Case[]): HTMLElement {
  const { table } = context;
  const metric = 'instructions';
  const names = table.contenders.filter(
    (name) =>
      isShown(context)(name) && cases.some((c) => table.sample(c.id, metric, name) !== null),
  );
  const rows = cases.map((row) => {
    const values = names.map((name) => table.sample(row.id, metric, name)?.median ?? null);
    const fewest = Math.min(...values.filter((v) => v !== null));
    const cells = values.map((v) => {
      if (v === null) return h('td', { class: 'number empty' }, '–');
      const text = quantity(v, metric);
      return h('td', { class: 'number' }, v === fewest ? h('strong', {}, text) : text);
    });
    return h('tr', {}, h('th', { scope: 'row' }, row.label), ...cells);
  });
  const head = [h('th', { scope: 'col' }, 'Path'), ...names.map((n) => headCell(context, n))];
  return scrollable('Instruction counts', tableOf('heat', head, rows));
}
