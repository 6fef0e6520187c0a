// The curves of one case as lines to draw: their order, their runs, and the axis that fits them.
import { makeAxis, type Axis } from './axis';
import { unitFor } from './format';
import { thin, type Points } from './thin';
import type { Context } from './context';
import type { Curve } from './data';

/** More points than this in one line cannot be told apart on a screen. */
const finest = 2000;

export interface Line extends Points {
  readonly name: string;
  /** The run that stands for its contender. The other runs are drawn faintly. */
  readonly leads: boolean;
  readonly unit: string;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / Math.max(values.length, 1);
}

/** The run whose mean is the median of the runs' means. */
function leader(runs: readonly Curve[]): Curve | undefined {
  const byMean = [...runs].sort((a, b) => mean(a.values) - mean(b.values));
  return byMean[(runs.length - 1) >> 1];
}

/** The lines of the contenders that are shown; the leading runs come last, so they lie on top. */
export function linesOf({ table, view }: Context, caseId: string): Line[] {
  const curves = table.curves(caseId);
  const lines = table.contenders.flatMap((name) => {
    const runs = curves.filter((c) => c.contender === name);
    const lead = leader(runs);
    return view.hidden.includes(name)
      ? []
      : runs.map((c) => ({ ...thin(c, finest), name, leads: c === lead, unit: c.unit }));
  });
  return [...lines.filter((l) => !l.leads), ...lines.filter((l) => l.leads)];
}

export interface Vertical {
  readonly axis: Axis;
  readonly title: string;
  /** Maps a recorded value to its plotted coordinate. */
  readonly plot: (value: number) => number;
}

/** The vertical axis: a unit, or multiples of the baseline's mean. */
export function verticalOf(
  { table, view }: Context,
  caseId: string,
  lines: readonly Line[],
): Vertical {
  const values = lines.flatMap((l) => l.values);
  const top = values.reduce((a, b) => Math.max(a, b), 0);
  const base = leader(table.curves(caseId).filter((c) => c.contender === view.baseline));
  const reference = base === undefined ? 0 : mean(base.values);
  const relative = view.mode === 'relative' && reference > 0;
  const unit = unitFor(lines[0]?.unit ?? 'bytes', top);
  const size = relative ? reference : unit.size;
  const low = values.reduce((a, b) => Math.min(a, b), top);
  // A process begins with almost nothing, which would stretch a log scale over many decades.
  const sorted = [...values].sort((a, b) => a - b);
  const floor = view.scale === 'log' ? (sorted[Math.floor(sorted.length / 20)] ?? 0) : low;
  const scale = floor > 0 ? view.scale : 'linear';
  const origin = scale === 'linear' && !relative ? 0 : null;
  const axis = makeAxis([floor / size, top / size], scale, {
    origin,
    suffix: relative ? '×' : '',
    pad: 0.06,
  });
  return {
    axis,
    title: relative ? `Memory relative to the mean of ${view.baseline}` : `Memory (${unit.name})`,
    plot: (value) => axis.plot(Math.max(value, floor / 1000) / size),
  };
}

/** A unit of the time axis. */
export function clockFor(seconds: number) {
  if (seconds > 7200) return { name: 'h', words: 'hours', size: 3600 };
  if (seconds > 300) return { name: 'min', words: 'minutes', size: 60 };
  return { name: 's', words: 'seconds', size: 1 };
}
