// One panel per metric: a row per contender with its median and its interval.
import { makeAxis, type Axis } from './axis';
import { lookOf, tipLines, visible, type Context } from './context';
import { svg, type Child } from './dom';
import { line, mark, plotted, scaler, shortened, textWidth, words, type Drawing } from './figure';
import { hides } from './hiding';
import { dimension, isDecided, type Spread } from './spread';
import { tip, tipBody } from './tooltip';
import type { Metric } from './metrics';

const rowHeight = 30;
const top = 4;

interface Row {
  readonly name: string;
  readonly spread: Spread;
}

interface Layout {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly x: (value: number) => number;
  /** Where bars start, in pixels; null on a log scale of absolute values. */
  readonly foot: number | null;
}

function rowOf(context: Context, caseId: string, metric: Metric, row: Row, y: number, at: Layout) {
  const { name, spread } = row;
  const { slot, path } = lookOf(context, name);
  const [mid, low, high] = [at.x(spread.mid), at.x(spread.low), at.x(spread.high)];
  const middle = y + rowHeight / 2;
  const cap = (x: number) => line(x, middle - 4, x, middle + 4, 'whisker');
  const bar = at.foot === null ? [] : [line(at.foot, middle, mid, middle, 'stem')];
  const interval =
    low < high ? [line(low, middle, high, middle, 'whisker'), cap(low), cap(high)] : [];
  const isBase = name === context.view.baseline;
  const group = svg(
    'g',
    {
      'class': isDecided(spread) ? 'row' : 'row undecided',
      'style': `--own: var(--c${slot})`,
      'tabindex': 0,
      'role': 'button',
      'aria-label': `${name}: ${spread.text}. Press to hide.`,
      [hides]: name,
    },
    svg('rect', { x: 0, y: y + 1, width: at.width, height: rowHeight - 2, rx: 5, class: 'hit' }),
    words(shortened(name, at.left - 14), 4, middle + 4.5, isBase ? 'label quiet' : 'label'),
    ...bar,
    ...interval,
    mark(path, mid, middle, 12, 'own'),
    words(spread.text, at.width - 4, middle + 4.5, isBase ? 'value quiet' : 'value', 'end'),
  );
  tip(group, () => tipBody(name, tipLines(context, caseId, metric, name)));
  return group;
}

export function gridOf(
  axis: Axis,
  { left, right, foot }: Pick<Layout, 'left' | 'right' | 'foot'>,
  bottom: number,
): Child[] {
  const at = plotted(axis, left, right);
  return [
    ...axis.ticks.flatMap((tick) => [
      line(at(tick.at), top, at(tick.at), bottom, 'grid'),
      words(tick.label, at(tick.at), bottom + 16, 'tick', 'middle'),
    ]),
    foot === null ? null : line(foot, top, foot, bottom, 'foot'),
  ];
}

/** The axis of a panel, and the value at which its bars start. */
function axisOf(context: Context, rows: readonly Row[], suffix: string, count: number) {
  const ends = rows.flatMap(({ spread }) => [spread.low, spread.high]);
  // A log scale has no zero. A panel with a zero is drawn on a linear scale, so no value is lost.
  const scale = ends.some((v) => v <= 0) ? 'linear' : context.view.scale;
  const relative = context.view.mode === 'relative';
  // The axis shows at least ±5 %. Otherwise noise would fill a relative panel.
  const values = relative ? [...ends, 0.95, 1.05] : ends;
  const origin = relative ? 1 : scale === 'linear' ? 0 : null;
  return { axis: makeAxis(values, scale, { origin, suffix, count }), origin };
}

export function drawBars(
  context: Context,
  caseId: string,
  metric: Metric,
  width: number,
): Drawing & { readonly title: string } {
  const { title, suffix, of } = dimension(context, caseId, metric);
  const rows = visible(context, caseId, metric.key).flatMap((name): Row[] => {
    const spread = of(name);
    return spread === null ? [] : [{ name, spread }];
  });
  const widest = (texts: readonly string[]): number =>
    Math.max(0, ...texts.map((t) => textWidth(t)));
  const left = Math.min(widest(rows.map((r) => r.name)), width * 0.3) + 20;
  const right = width - widest(rows.map((r) => r.spread.text)) - 20;
  const count = Math.max(Math.floor((right - left) / 70), 2);
  const { axis, origin } = axisOf(context, rows, suffix, count);
  const x = scaler(axis, left, right);
  const layout = { left, right, width, x, foot: origin === null ? null : x(origin) };
  const bottom = top + rowHeight * rows.length;
  return {
    title,
    height: bottom + 24,
    summary: `${title}: ${rows.map((r) => `${r.name} ${r.spread.text}`).join('; ')}.`,
    children: [
      ...gridOf(axis, layout, bottom),
      ...rows.map((r, i) => rowOf(context, caseId, metric, r, top + i * rowHeight, layout)),
    ],
  };
}
