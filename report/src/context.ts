// The data that every section uses: the indexed results, the view, and the look of contenders.
import type { Case, Comparison, Table } from './compare';
import { factor, factorInterval, quantity, quantityInterval } from './format';
import type { Metric } from './metrics';
import type { View } from './state';
import type { Look } from './theme';

export interface Context {
  readonly table: Table;
  readonly view: View;
  readonly looks: ReadonlyMap<string, Look>;
}

export const outcomeText: Readonly<Record<Comparison['outcome'], string>> = {
  better: 'better',
  worse: 'worse',
  same: 'no measurable difference',
  unknown: 'too few rounds',
};

/** The case that the charts show. */
export function currentCase({ table, view }: Context): Case | null {
  return table.cases.find((c) => c.id === view.case) ?? table.cases[0] ?? null;
}

/** The contenders of a case that are not hidden, in the order of the file. */
export function visible({ table, view }: Context, caseId: string, metric: Metric): string[] {
  return table.present(caseId, metric.key).filter((name) => !view.hidden.includes(name));
}

export function lookOf({ looks }: Context, name: string): Look {
  return looks.get(name) ?? { slot: 0, path: '' };
}

/** The lines of a tooltip about one contender and metric. */
export function tooltipLines(
  { table, view }: Context,
  caseId: string,
  metric: Metric,
  name: string,
): [string, string][] {
  const sample = table.sample(caseId, metric.key, name);
  if (sample === null) return [];
  const lines: [string, string][] = [
    [metric.title, quantity(sample.median, sample.unit)],
    ['95 % interval', quantityInterval(sample.interval, sample.unit)],
  ];
  const c = table.compare(caseId, metric.key, name, view.baseline);
  if (c !== null && name !== view.baseline) {
    lines.push([`Against ${view.baseline}`, `${factor(c.ratio)} (${factorInterval(c.interval)})`]);
    lines.push(['', outcomeText[c.outcome]]);
  }
  return lines;
}
