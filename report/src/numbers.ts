// One case as a table, contender × metric, with medians, ratios and intervals, like the charts.
import { lookOf, outcomeText, type Context } from './context';
import { h, scrollable } from './dom';
import { factor, factorInterval, quantity, quantityInterval } from './format';
import { tint } from './heatmap';
import { metricFor } from './metrics';
import { signOf } from './theme';
import type { Case } from './compare';

function cell(context: Context, row: Case, metric: string, name: string): HTMLTableCellElement {
  const { table, view } = context;
  const sample = table.sample(row.id, metric, name);
  if (sample === null) return h('td', { class: 'number empty' }, '–');
  const td = h('td', { class: 'number' }, quantity(sample.median, sample.unit));
  td.append(h('small', {}, quantityInterval(sample.interval, sample.unit)));
  const c = table.compare(row.id, metric, name, view.baseline);
  if (c === null || name === view.baseline) return td;
  td.append(h('small', {}, `${factor(c.ratio)} (${factorInterval(c.interval)})`));
  td.title = outcomeText[c.outcome];
  tint(td, c);
  return td;
}

export function numbersTable(context: Context, row: Case): HTMLElement {
  const { table, view } = context;
  const metrics = table.metrics(row.id);
  const names = table.contenders.filter(
    (name) =>
      !view.hidden.includes(name) && metrics.some((m) => table.present(row.id, m).includes(name)),
  );
  const head = metrics.map((m) => {
    const unit =
      table.sample(row.id, m, names[0] ?? '')?.better === 'higher'
        ? 'higher is better'
        : 'lower is better';
    return h('th', { scope: 'col', class: 'number' }, metricFor(m).title, h('small', {}, unit));
  });
  const rows = names.map((name) =>
    h(
      'tr',
      {},
      h(
        'th',
        { scope: 'row' },
        signOf(lookOf(context, name)),
        name,
        name === view.baseline ? h('small', {}, 'baseline') : null,
      ),
      ...metrics.map((m) => cell(context, row, m, name)),
    ),
  );
  const body = h('tbody', {}, ...rows);
  const thead = h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Contender'), ...head));
  return scrollable('All numbers', h('table', { class: 'heat numbers' }, thead, body));
}
