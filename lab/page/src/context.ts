// The data that every section uses: the indexed results, the view, and the look of contenders.
import type { Outcome } from './data';
import { h } from './dom';
import { factor, factorInterval, quantity, quantityInterval } from './format';
import { hides } from './hiding';
import { signOf, type Look } from './theme';
import { available, memoryMetrics, metricFor, timeMetrics, type Metric } from './metrics';
import type { Case } from './places';
import type { View } from './state';
import type { Table } from './table';

export interface Context {
  readonly table: Table;
  readonly view: View;
  readonly looks: ReadonlyMap<string, Look>;
}

export const outcomeText: Readonly<Record<Outcome, string>> = {
  better: 'better',
  worse: 'worse',
  equal: 'no difference that counts',
  unclear: 'cannot tell: the rounds scatter too much',
  missing: 'not compared',
};

/** The case that the charts show. */
export function currentCase({ table, view }: Context): Case | null {
  return table.cases.find((c) => c.id === view.case) ?? table.cases[0] ?? null;
}

/** The chosen metric of time if the case has it; otherwise another one. */
export function timeOf({ table, view }: Context, caseId: string): Metric | null {
  const key = available(view.time, timeMetrics, table.metrics(caseId));
  return key === null ? null : metricFor(key);
}

/** The chosen metric of memory if the case has it; otherwise another one. */
export function memoryOf({ table, view }: Context, caseId: string): Metric | null {
  const key = available(view.memory, memoryMetrics, table.metrics(caseId));
  return key === null ? null : metricFor(key);
}

/** The contenders of a case that are not hidden, in the order of the file. */
export function visible({ table, view }: Context, caseId: string, metric: string): string[] {
  return table.present(caseId, metric).filter((name) => !view.hidden.includes(name));
}

export function isShown({ view }: Context): (name: string) => boolean {
  return (name) => !view.hidden.includes(name);
}

export function lookOf({ looks }: Context, name: string): Look {
  return looks.get(name) ?? { slot: 0, path: '' };
}

/** A contender's name with its sign, as a button that hides the contender everywhere. */
export function nameButton(context: Context, name: string): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'name', title: `Hide ${name} everywhere`, [hides]: name },
    signOf(lookOf(context, name)),
    h('span', {}, name),
  );
  const tag = name === context.view.baseline ? h('small', {}, 'baseline') : null;
  return h('span', { class: 'named' }, button, tag);
}

/** The lines of a tooltip about one contender and metric. */
export function tipLines(
  { table, view }: Context,
  caseId: string,
  metric: Metric,
  name: string,
): [string, string][] {
  const sample = table.sample(caseId, metric.key, name);
  if (sample === null) return [];
  const { median, unit, interval } = sample;
  const range = interval === null ? '' : ` (${quantityInterval(interval, unit)})`;
  const lines: [string, string][] = [[metric.title, quantity(median, unit, interval) + range]];
  const c = table.compare(caseId, metric.key, name, view.baseline);
  if (c !== null && name !== view.baseline) {
    const ratio = `${factor(c.ratio, c.interval)} (${factorInterval(c.interval)})`;
    lines.push([`against ${view.baseline}`, ratio]);
    if (c.outcome !== null) lines.push(['', outcomeText[c.outcome]]);
  }
  return lines;
}
