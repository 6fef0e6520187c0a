// Values of contenders across cases: absolute or relative to the baseline, as the reader chose.
import { factor, quantity, unitFor } from './format';
import { visible, type Context } from './context';
import { hasRatio, type Metric } from './metrics';
import type { Line, Lines, Point } from './linechart';
import type { Interval, Sample } from './data';

/** A value on the axis below. */
export interface Place {
  readonly at: number;
  readonly label: string;
  readonly caseId: string;
  readonly metric: Metric;
}

/** A measured value of a contender that did not fail there; otherwise null. */
function sampleAt({ table }: Context, { caseId, metric }: Place, name: string): Sample | null {
  const isPresent = table.absence(caseId, metric.key, name) === null;
  return isPresent ? table.sample(caseId, metric.key, name) : null;
}

/** A value as a multiple of the baseline's, from the rounds that both have. */
function ratioAt(context: Context, place: Place, name: string) {
  const { baseline } = context.view;
  const [own, base] = [name, baseline].map((who) => sampleAt(context, place, who));
  if (!own || !base || !hasRatio(place.metric.key)) return null;
  if (name === baseline) return { text: 'baseline', ratio: 1, interval: null };
  const compared = context.table.compare(place.caseId, place.metric.key, name, baseline);
  if (compared === null || !Number.isFinite(compared.ratio)) return null;
  const { ratio, interval } = compared;
  return { text: factor(ratio, interval), ratio, interval };
}

function pointOf(place: Place, text: string, mid: number, interval: Interval | null): Point {
  const { low, high } = interval ?? { low: mid, high: mid };
  return { at: place.at, label: place.label, text, low, mid, high };
}

/** The lines of all contenders that are shown, over some places. */
export function linesOver(context: Context, places: readonly Place[], title: string): Lines {
  const { view } = context;
  const isRelative = view.mode === 'relative';
  const names = new Set(
    places.flatMap(({ caseId, metric }) => visible(context, caseId, metric.key)),
  );
  const samples = places.flatMap((place) =>
    [...names].flatMap((name) => sampleAt(context, place, name) ?? []),
  );
  const unit = unitFor(samples[0]?.unit ?? '', Math.max(0, ...samples.map((s) => s.median)));
  const absolute = (place: Place, name: string): Point[] => {
    const sample = sampleAt(context, place, name);
    if (sample === null) return [];
    const { median, interval } = sample;
    const text = quantity(median, sample.unit, interval);
    const { size } = unit;
    const scaled =
      interval === null ? null : { low: interval.low / size, high: interval.high / size };
    return [pointOf(place, text, median / size, scaled)];
  };
  const relative = (place: Place, name: string): Point[] => {
    const found = ratioAt(context, place, name);
    return found === null ? [] : [pointOf(place, found.text, found.ratio, found.interval)];
  };
  const pointsAt = isRelative ? relative : absolute;
  const lines = [...names].map((name): Line => {
    return { name, points: places.flatMap((place) => pointsAt(place, name)) };
  });
  const named = unit.name === '' ? title : `${title} (${unit.name})`;
  return {
    unitSize: isRelative ? 1 : unit.size,
    title: isRelative ? `${title} relative to ${view.baseline}` : named,
    lines: lines.filter(({ points }) => points.length > 0),
    ticks: places.map(({ at, label }) => ({ at, label })),
    suffix: isRelative ? '×' : '',
    // Otherwise noise would fill the chart.
    always: isRelative ? [0.95, 1.05] : [],
  };
}
