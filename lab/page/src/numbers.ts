// One case as a table, contender × metric, with medians, intervals and ratios.
import { isShown, nameButton, tipLines, type Context } from './context';
import { h, scrollable, tableOf } from './dom';
import { factor, factorInterval, quantity, quantityInterval } from './format';
import { metricFor } from './metrics';
import { tint } from './tint';
import { tip, tipBody } from './tooltip';
import type { Case } from './places';

function cell(context: Context, row: Case, metric: string, name: string): HTMLTableCellElement {
  const { table, view } = context;
  const sample = table.sample(row.id, metric, name);
  if (sample === null) return h('td', { class: 'number empty' }, '–');
  const { median, unit, interval } = sample;
  const td = h('td', { class: 'number' }, quantity(median, unit, interval));
  if (interval !== null && interval.low < interval.high) {
    td.append(h('small', {}, quantityInterval(interval, unit)));
  }
  tip(td, () => tipBody(name, tipLines(context, row.id, metricFor(metric), name)));
  const c = table.compare(row.id, metric, name, view.baseline);
  if (c === null || name === view.baseline) return td;
  const ratio = `${factor(c.ratio, c.interval)} (${factorInterval(c.interval)})`;
  td.append(h('small', {}, ratio));
  tint(td, c);
  return td;
}

/** The metrics `keys` of every shown contender. */
export function numbersTable(
  context: Context,
  row: Case,
  keys: readonly string[],
  label: string,
): HTMLElement {
  const { table } = context;
  const names = table.contenders.filter(
    (name) => isShown(context)(name) && keys.some((m) => table.sample(row.id, m, name) !== null),
  );
  const head = keys.map((m) => {
    const better = table.sample(row.id, m, names[0] ?? '')?.better;
    const unit = better === 'higher' ? 'higher is better' : 'lower is better';
    return h('th', { scope: 'col', class: 'number' }, metricFor(m).title, h('small', {}, unit));
  });
  const rows = names.map((name) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, nameButton(context, name)),
      ...keys.map((m) => cell(context, row, m, name)),
    ),
  );
  const heads = [h('th', { scope: 'col' }, 'Contender'), ...head];
  return scrollable(label, tableOf('heat numbers', heads, rows));
}
