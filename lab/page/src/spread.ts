// One metric of one case as positions: medians with intervals, absolute or relative to the baseline.
import { quantity, factor, unitFor } from './format';
import type { Context } from './context';
import type { Outcome } from './data';
import type { Metric } from './metrics';

export interface Spread {
  readonly mid: number;
  readonly low: number;
  readonly high: number;
  readonly text: string;
  readonly outcome: Outcome | null;
}

export interface Dimension {
  readonly metric: Metric;
  readonly title: string;
  /** Follows the labels of ticks. */
  readonly suffix: string;
  readonly of: (name: string) => Spread | null;
}

function absolute(context: Context, caseId: string, metric: Metric): Dimension {
  const { table, view } = context;
  const samples = table.present(caseId, metric.key).map((n) => table.sample(caseId, metric.key, n));
  const recorded = samples[0]?.unit ?? '';
  const unit = unitFor(recorded, Math.max(...samples.map((s) => Math.abs(s?.median ?? 0))));
  return {
    metric,
    title: unit.name === '' ? metric.title : `${metric.title} (${unit.name})`,
    suffix: '',
    of: (name) => {
      const s = table.sample(caseId, metric.key, name);
      if (s === null) return null;
      const { low, high } = s.interval ?? { low: s.median, high: s.median };
      const compared = table.compare(caseId, metric.key, name, view.baseline);
      return {
        mid: s.median / unit.size,
        low: low / unit.size,
        high: high / unit.size,
        text: quantity(s.median, s.unit, s.interval),
        outcome: name === view.baseline ? null : (compared?.outcome ?? null),
      };
    },
  };
}

function relative(context: Context, caseId: string, metric: Metric): Dimension {
  const { baseline } = context.view;
  return {
    metric,
    title: `${metric.title} relative to ${baseline}`,
    suffix: '×',
    of: (name) => {
      if (name === baseline) return { mid: 1, low: 1, high: 1, text: 'baseline', outcome: null };
      const c = context.table.compare(caseId, metric.key, name, baseline);
      if (c === null) return null;
      const { low, high } = c.interval ?? { low: c.ratio, high: c.ratio };
      const text = factor(c.ratio, c.interval);
      return { mid: c.ratio, low, high, text, outcome: c.outcome };
    },
  };
}

export function dimension(context: Context, caseId: string, metric: Metric): Dimension {
  const make = context.view.mode === 'absolute' ? absolute : relative;
  return make(context, caseId, metric);
}

/** Whether the command judged the comparison: drawn full. Others are drawn hollow. */
export function isDecided(spread: Spread): boolean {
  return spread.outcome === null || spread.outcome === 'better' || spread.outcome === 'worse';
}
