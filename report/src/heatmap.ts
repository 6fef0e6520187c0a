// The table workload × contender. It prints every number and colours measurable differences only.
import { lookOf, outcomeText, type Context } from './context';
import { h, scrollable } from './dom';
import { factor, factorInterval, percent, quantity, quantityInterval } from './format';
import { relativeNoise } from './stats';
import { signOf } from './theme';
import type { Case, Comparison } from './compare';
import type { Metric } from './metrics';

/** The strength of a ratio's colour, 0…1. A factor of 1.5 in either direction has full strength. */
export function strength(ratio: number): number {
  return Math.min(Math.abs(Math.log(ratio)) / Math.log(1.5), 1);
}

/** Sets the class and strength of a cell. Equal and unknown cells have no colour. */
export function tint(cell: HTMLElement, c: Comparison): void {
  cell.classList.add(`is-${c.outcome}`);
  if (c.outcome !== 'better' && c.outcome !== 'worse') return;
  cell.style.setProperty('--strength', `${(12 + 48 * strength(c.ratio)).toFixed(0)}%`);
}

/** A dash if nothing was measured; otherwise the cause in words. */
export function emptyCell(why: string): HTMLTableCellElement {
  return h('td', { class: 'number empty' }, why === 'not measured' ? '–' : why);
}

export function headCell(context: Context, name: string): HTMLTableCellElement {
  const tag = name === context.view.baseline ? h('small', {}, 'baseline') : null;
  return h('th', { scope: 'col', class: 'number' }, signOf(lookOf(context, name)), name, tag);
}

function cell(context: Context, row: Case, metric: Metric, name: string): HTMLTableCellElement {
  const { table, view } = context;
  const sample = table.sample(row.id, metric.key, name);
  const absence = table.absence(row.id, metric.key, name);
  if (sample === null || absence !== null) return emptyCell(absence ?? '');
  const c = table.compare(row.id, metric.key, name, view.baseline);
  const value = quantity(sample.median, sample.unit);
  const range = quantityInterval(sample.interval, sample.unit);
  if (view.mode === 'absolute') {
    const td = h('td', { class: 'number' }, value, h('small', {}, range));
    if (c !== null && name !== view.baseline) tint(td, c);
    return td;
  }
  if (name === view.baseline) return h('td', { class: 'number is-baseline', title: range }, value);
  if (c === null) return emptyCell('not comparable');
  const title = `${value} (${range}): ${outcomeText[c.outcome]}`;
  const td = h('td', { class: 'number', title }, factor(c.ratio));
  td.append(h('small', {}, factorInterval(c.interval)));
  tint(td, c);
  return td;
}

function noiseCell({ table, view }: Context, row: Case, metric: Metric): HTMLTableCellElement {
  const sample = table.sample(row.id, metric.key, view.baseline);
  const noise = sample === null ? null : relativeNoise(sample.median, sample.interval);
  return h('td', { class: 'number quiet' }, noise === null ? '–' : `±${percent(noise)}`);
}

export function heatTable(context: Context, cases: readonly Case[], metric: Metric): HTMLElement {
  const { table, view } = context;
  const shown = cases.filter((row) => table.present(row.id, metric.key).length > 0);
  const names = table.contenders.filter(
    (name) =>
      !view.hidden.includes(name) &&
      shown.some((row) => table.sample(row.id, metric.key, name) !== null),
  );
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'Workload'),
    ...names.map((name) => headCell(context, name)),
    h('th', { scope: 'col', class: 'number' }, 'Noise', h('small', {}, 'of the baseline')),
  );
  const rows = shown.map((row) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, row.label),
      ...names.map((name) => cell(context, row, metric, name)),
      noiseCell(context, row, metric),
    ),
  );
  const body = h('tbody', {}, ...rows);
  const heat = h('table', { class: 'heat' }, h('thead', {}, head), body);
  return scrollable(`${metric.title} by workload`, heat);
}

/** The meaning of the colours, also in words for readers who cannot see them. */
export function heatKey(): HTMLElement {
  const swatch = (kind: string, text: string): HTMLElement => {
    const box = h('span', { class: `swatch is-${kind}`, style: '--strength: 45%' });
    return h('span', {}, box, text);
  };
  return h(
    'p',
    { class: 'key' },
    swatch('better', 'measurably better'),
    swatch('worse', 'measurably worse'),
    swatch('same', 'no measurable difference: the interval contains 1'),
  );
}
