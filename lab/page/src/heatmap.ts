// The table workload × contender. It prints every number and colours judged differences only.
import { isShown, lookOf, nameButton, tipLines, type Context } from './context';
import { h, scrollable, tableOf } from './dom';
import { factor, factorInterval, percent, quantity, quantityInterval } from './format';
import { relativeNoise } from './stats';
import { signOf } from './theme';
import { tint } from './tint';
import { tip, tipBody } from './tooltip';
import type { Metric } from './metrics';
import type { Case } from './places';

/** A dash if nothing was measured; otherwise the cause in words. */
function emptyCell(why: string): HTMLTableCellElement {
  return h('td', { class: 'number empty' }, why === 'not measured' ? '–' : why);
}

export function headCell(context: Context, name: string): HTMLTableCellElement {
  const printed = h('span', { class: 'printed' }, signOf(lookOf(context, name)), name);
  return h('th', { scope: 'col', class: 'number' }, nameButton(context, name), printed);
}

function cell(context: Context, row: Case, metric: Metric, name: string): HTMLTableCellElement {
  const { table, view } = context;
  const sample = table.sample(row.id, metric.key, name);
  const absence = table.absence(row.id, metric.key, name);
  if (sample === null || absence !== null) return emptyCell(absence ?? '');
  const c = table.compare(row.id, metric.key, name, view.baseline);
  const isBase = name === view.baseline;
  if (c === null && !isBase && view.mode === 'relative') return emptyCell('not comparable');
  const { median, unit, interval } = sample;
  const [value, range] =
    view.mode === 'absolute' || isBase || c === null
      ? [quantity(median, unit, interval), quantityInterval(interval, unit)]
      : [factor(c.ratio, c.interval), factorInterval(c.interval)];
  const td = h('td', { class: isBase ? 'number is-baseline' : 'number' }, value);
  td.append(h('small', {}, range));
  if (c !== null && !isBase) tint(td, c);
  tip(td, () => tipBody(`${name}, ${row.label}`, tipLines(context, row.id, metric, name)));
  return td;
}

function noiseCell({ table, view }: Context, row: Case, metric: Metric): HTMLTableCellElement {
  const sample = table.sample(row.id, metric.key, view.baseline);
  const noise = sample === null ? null : relativeNoise(sample.median, sample.interval);
  return h('td', { class: 'number quiet' }, noise === null ? '–' : `±${percent(noise)}`);
}

export function heatTable(context: Context, cases: readonly Case[], metric: Metric): HTMLElement {
  const { table } = context;
  const shown = cases.filter((row) => table.present(row.id, metric.key).length > 0);
  const names = table.contenders.filter(
    (name) =>
      isShown(context)(name) &&
      shown.some((row) => table.sample(row.id, metric.key, name) !== null),
  );
  const head = [
    h('th', { scope: 'col' }, 'Workload'),
    ...names.map((name) => headCell(context, name)),
    h('th', { scope: 'col', class: 'number' }, 'Noise', h('small', {}, 'of the baseline')),
  ];
  const rows = shown.map((row) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, row.label),
      ...names.map((name) => cell(context, row, metric, name)),
      noiseCell(context, row, metric),
    ),
  );
  return scrollable(`${metric.title} by workload`, tableOf('heat', head, rows));
}
