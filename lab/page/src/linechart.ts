// A line for each contender over a few positions: markers at the medians, whiskers for the intervals.
import { clearOf, makeAxis } from './axis';
import { lookOf, type Context } from './context';
import { svg, type Child } from './dom';
import { line, mark, plotted, scaler, textWidth, words, type Drawing } from './figure';
import { hides } from './hiding';
import { tip, tipBody } from './tooltip';

export interface Point {
  /** The position on the axis below, from 0 to 1. */
  readonly at: number;
  /** The name of the position, for the tooltip. */
  readonly label: string;
  readonly text: string;
  readonly low: number;
  readonly mid: number;
  readonly high: number;
}

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
  /** Whether somebody else published these values: the line is dashed and cannot be hidden. */
  readonly isPublished?: boolean;
}

export interface Lines {
  readonly title: string;
  /** The recorded units in one unit of the axis. */
  readonly unitSize: number;
  readonly lines: readonly Line[];
  /** The names of the positions below. */
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  readonly suffix: string;
  /** Values that the axis on the left has to have. */
  readonly always: readonly number[];
}

const height = 260;
const [top, bottom] = [10, height - 26];

function lineOf(
  context: Context,
  { name, points, isPublished = false }: Line,
  x: (at: number) => number,
  y: (value: number) => number,
): SVGElement {
  const { slot, path } = lookOf(context, name);
  const course = points.map(({ at, mid }) => `${x(at)},${y(mid)}`).join(' ');
  const whiskers = points
    .filter(({ low, high }) => low < high)
    .map(({ at, low, high }) => line(x(at), y(low), x(at), y(high), 'whisker'));
  const told = points.map(({ label, text }) => `${label}: ${text}`).join(', ');
  const group = svg(
    'g',
    {
      class: isPublished ? 'point course published' : 'point course',
      style: `--own: var(--c${slot})`,
      tabindex: 0,
      ...(isPublished
        ? { 'role': 'img', 'aria-label': `${name}, published: ${told}.` }
        : { 'role': 'button', 'aria-label': `${name}: ${told}. Press to hide.`, [hides]: name }),
    },
    svg('polyline', { points: course, class: 'hit' }),
    svg('polyline', { points: course, class: 'stroke' }),
    ...whiskers,
    ...points.map(({ at, mid }) => mark(path, x(at), y(mid), 11, 'own')),
  );
  tip(group, () =>
    tipBody(
      name,
      points.map(({ label, text }): [string, string] => [label, text]),
    ),
  );
  return group;
}

export function drawLines(context: Context, what: Lines, width: number): Drawing {
  const values = what.lines.flatMap(({ points }) => points.flatMap((p) => [p.low, p.high]));
  // A log scale has no zero.
  const scale = values.some((value) => value <= 0) ? 'linear' : context.view.scale;
  const origin = scale === 'linear' && context.view.mode === 'absolute' ? 0 : null;
  const axis = makeAxis([...values, ...what.always], scale, { origin, suffix: what.suffix });
  const left = Math.max(...axis.ticks.map(({ label }) => textWidth(label))) + 14;
  const x = (at: number): number => left + 12 + at * (width - left - 30);
  const [y, tickY] = [scaler(axis, bottom, top), plotted(axis, bottom, top)];
  const grid: Child[] = axis.ticks.flatMap((tick) => [
    line(left, tickY(tick.at), width, tickY(tick.at), 'grid'),
    words(tick.label, left - 6, tickY(tick.at) + 4, 'tick', 'end'),
  ]);
  const below = clearOf(what.ticks, x, width, textWidth).map(({ middle, label }) =>
    words(label, middle, height - 6, 'tick', 'middle'),
  );
  const each = what.lines.map(({ name, points }) => {
    const last = points[points.length - 1];
    return last === undefined ? name : `${name} ${last.text} at ${last.label}`;
  });
  return {
    height,
    summary: `${what.title}: ${each.join('; ')}.`,
    children: [...grid, ...below, ...what.lines.map((one) => lineOf(context, one, x, y))],
  };
}
