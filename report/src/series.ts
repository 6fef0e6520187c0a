// Values of contenders across cases: absolute or relative to the baseline, as the reader chose.
import { factor, quantity, unitFor } from './format';
import { visible, type Context } from './context';
import type { Line, Lines } from './linechart';
import type { Metric } from './metrics';

/** A value on the axis below. */
export interface Place {
  readonly at: number;
  readonly label: string;
  readonly caseId: string;
  readonly metric: Metric;
}

/** The lines of all contenders that are shown, over some places. */
export function linesOver(context: Context, places: readonly Place[], title: string): Lines {
  const { table, view } = context;
  const isRelative = view.mode === 'relative';
  const of = (place: Place, name: string) => table.sample(place.caseId, place.metric.key, name);
  const names = new Set(
    places.flatMap(({ caseId, metric }) => visible(context, caseId, metric.key)),
  );
  const medians = places.flatMap((place) => [...names].map((name) => of(place, name)?.median ?? 0));
  const recorded = places.flatMap((place) => [...names].map((name) => of(place, name)?.unit ?? ''));
  const unit = unitFor(recorded.find((it) => it !== '') ?? '', Math.max(...medians));
  const lines = [...names].map((name): Line => {
    const points = places.flatMap((place) => {
      const { at, label, caseId, metric } = place;
      if (isRelative) {
        const base = { low: 1, high: 1 };
        const compared = table.compare(caseId, metric.key, name, view.baseline);
        if (name === view.baseline) return [{ at, label, text: 'baseline', mid: 1, ...base }];
        if (compared === null) return [];
        const { ratio, interval } = compared;
        const { low, high } = interval ?? { low: ratio, high: ratio };
        return [{ at, label, text: factor(ratio, interval), low, mid: ratio, high }];
      }
      const sample = of(place, name);
      if (sample === null) return [];
      const { median, interval } = sample;
      const [low, high] = [interval?.low ?? median, interval?.high ?? median];
      const text = quantity(median, sample.unit, interval);
      const size = unit.size;
      return [{ at, label, text, low: low / size, mid: median / size, high: high / size }];
    });
    return { name, points };
  });
  const named = unit.name === '' ? title : `${title} (${unit.name})`;
  return {
    title: isRelative ? `${title} relative to ${view.baseline}` : named,
    lines: lines.filter(({ points }) => points.length > 0),
    ticks: places.map(({ at, label }) => ({ at, label })),
    suffix: isRelative ? '×' : '',
    // Otherwise noise would fill the chart.
    always: isRelative ? [0.95, 1.05] : [],
  };
}
