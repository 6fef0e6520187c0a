// Time against memory: a point for each contender, its intervals as a cross, the Pareto front.
import { makeAxis, type Axis } from './axis';
import { lookOf, tipLines, visible, type Context } from './context';
import { svg, type Child } from './dom';
import { line, mark, plotted, scaler, shortened, textWidth, words, type Drawing } from './figure';
import { hides } from './hiding';
import { placeLabels, type Anchor, type Box } from './labels';
import { paretoFront, staircase, type Point } from './pareto';
import { dimension, isDecided, type Dimension, type Spread } from './spread';
import { tip, tipBody } from './tooltip';
import type { Metric } from './metrics';

interface Mark extends Point {
  readonly name: string;
  readonly xs: Spread;
  readonly ys: Spread;
}

/** The plot area, and its axes as pixels. */
interface Plot {
  readonly area: Box;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function marksOf(context: Context, caseId: string, time: Dimension, memory: Dimension): Mark[] {
  return visible(context, caseId, time.metric.key).flatMap((name): Mark[] => {
    const xs = time.of(name);
    const ys = memory.of(name);
    return xs === null || ys === null ? [] : [{ name, xs, ys, x: xs.mid, y: ys.mid }];
  });
}

function grid(area: Box, x: Axis, y: Axis): Child[] {
  const right = area.x + area.width;
  const bottom = area.y + area.height;
  const atX = plotted(x, area.x, right);
  const atY = plotted(y, bottom, area.y);
  return [
    ...x.ticks.flatMap(({ at, label }) => [
      line(atX(at), area.y, atX(at), bottom, 'grid'),
      words(label, atX(at), bottom + 18, 'tick', 'middle'),
    ]),
    ...y.ticks.flatMap(({ at, label }) => [
      line(area.x, atY(at), right, atY(at), 'grid'),
      words(label, area.x - 8, atY(at) + 4, 'tick', 'end'),
    ]),
  ];
}

/** The front as a broad pale band, so that nobody takes it for an interval, and the area it beats. */
function front(points: readonly Point[], { x, y, width, height }: Box) {
  // Pixels grow downwards, but the front assumes that lower is better.
  const up = points.map((p) => ({ x: p.x, y: -p.y }));
  const corners = staircase(paretoFront(up), x + width, -y).map((p) => ({ x: p.x, y: -p.y }));
  const last = corners[corners.length - 1];
  if (last === undefined) return { area: [], label: [], box: [] };
  const path = corners.map((p) => `${p.x} ${p.y}`).join('L');
  const below = last.y + 22 < y + height;
  const at = { x: x + width - 6, y: last.y + (below ? 19 : -10) };
  const text = 'Pareto front';
  const box = { x: at.x - textWidth(text), y: at.y - 12, width: textWidth(text), height: 16 };
  return {
    area: [
      svg('path', { d: `M${path}L${x + width} ${y}Z`, class: 'beaten' }),
      svg('path', { d: `M${path}`, class: 'front' }),
    ],
    label: [words(text, at.x, at.y, 'front-label', 'end')],
    box: [box],
  };
}

/** A line with short caps, which no other line of the chart has. */
function whisker(x1: number, y1: number, x2: number, y2: number): Child[] {
  const [dx, dy] = x1 === x2 ? [4, 0] : [0, 4];
  return [
    line(x1, y1, x2, y2, 'whisker'),
    line(x1 - dx, y1 - dy, x1 + dx, y1 + dy, 'whisker'),
    line(x2 - dx, y2 - dy, x2 + dx, y2 + dy, 'whisker'),
  ];
}

function anchorOf({ name, xs, ys, x, y }: Mark, plot: Plot, isBest: boolean): Anchor {
  const [px, py] = [plot.x(x), plot.y(y)];
  const [left, right] = [plot.x(xs.low), plot.x(xs.high)];
  const [top, bottom] = [plot.y(ys.high), plot.y(ys.low)];
  return {
    x: px,
    y: py,
    textWidth: textWidth(shortened(name, plot.area.width * 0.4), isBest ? 650 : 400) + 2,
    drawn: [
      { x: px - 8, y: py - 8, width: 16, height: 16 },
      { x: left, y: py - 2, width: right - left, height: 4 },
      { x: px - 2, y: top, width: 4, height: bottom - top },
    ],
  };
}

type Lines = (name: string) => [string, string][];

function point(context: Context, m: Mark, plot: Plot, label: Child, lines: Lines) {
  const { slot, path } = lookOf(context, m.name);
  const [px, py] = [plot.x(m.x), plot.y(m.y)];
  const group = svg(
    'g',
    {
      // Hollow as in the bars: neither difference counts.
      'class': isDecided(m.xs) || isDecided(m.ys) ? 'point' : 'point undecided',
      'style': `--own: var(--c${slot})`,
      'tabindex': 0,
      'role': 'button',
      'aria-label': `${m.name}: ${m.xs.text}, ${m.ys.text}. Press to hide.`,
      [hides]: m.name,
    },
    ...whisker(plot.x(m.xs.low), py, plot.x(m.xs.high), py),
    ...whisker(px, plot.y(m.ys.low), px, plot.y(m.ys.high)),
    svg('circle', { cx: px, cy: py, r: 15, class: 'hit' }),
    mark(path, px, py, 15, 'own'),
    label,
  );
  tip(group, () => tipBody(m.name, lines(m.name)));
  return group;
}

function points(
  context: Context,
  marks: readonly Mark[],
  plot: Plot,
  fixed: readonly Box[],
  lines: Lines,
): Child[] {
  const best = new Set(paretoFront(marks));
  const anchors = marks.map((m) => anchorOf(m, plot, best.has(m)));
  const boxes = placeLabels(anchors, plot.area, fixed);
  return marks.map((m, i) => {
    const box = boxes[i] ?? plot.area;
    const style = best.has(m) ? 'label best' : 'label';
    const label = words(
      shortened(m.name, plot.area.width * 0.4),
      box.x + box.width / 2,
      box.y + 12.5,
      style,
      'middle',
    );
    return point(context, m, plot, label, lines);
  });
}

/** The dotted cross through the baseline. */
function crosshair(marks: readonly Mark[], baseline: string, { area, x, y }: Plot): Child[] {
  const base = marks.find((m) => m.name === baseline);
  if (base === undefined) return [];
  return [
    line(x(base.x), area.y, x(base.x), area.y + area.height, 'cross'),
    line(area.x, y(base.y), area.x + area.width, y(base.y), 'cross'),
  ];
}

function ends(spreads: readonly Spread[]): number[] {
  return spreads.flatMap((s) => [s.low, s.high]);
}

/** `pair` holds the metrics of time and of memory. */
export function drawScatter(
  context: Context,
  caseId: string,
  pair: readonly [Metric, Metric],
  width: number,
): Drawing {
  const { view } = context;
  const time = dimension(context, caseId, pair[0]);
  const memory = dimension(context, caseId, pair[1]);
  const marks = marksOf(context, caseId, time, memory);
  const height = Math.round(Math.min(Math.max(width * 0.5, 320), 520));
  const [xs, ys] = [ends(marks.map((m) => m.xs)), ends(marks.map((m) => m.ys))];
  const scale = [...xs, ...ys].every((v) => v > 0) ? view.scale : 'linear';
  const count = Math.min(Math.max(Math.floor(width / 130), 2), 7);
  const x = makeAxis(xs, scale, { suffix: time.suffix, pad: 0.12, count });
  const y = makeAxis(ys, scale, { suffix: memory.suffix, pad: 0.12 });
  const left = Math.ceil(Math.max(...y.ticks.map((t) => textWidth(t.label)))) + 14;
  const area = { x: left, y: 26, width: width - left - 10, height: height - 26 - 48 };
  const [right, bottom] = [area.x + area.width, area.y + area.height];
  const plot = { area, x: scaler(x, area.x, right), y: scaler(y, bottom, area.y) };
  const edge = front(
    marks.map((m) => ({ x: plot.x(m.x), y: plot.y(m.y) })),
    area,
  );
  const lines: Lines = (name) => pair.flatMap((m) => tipLines(context, caseId, m, name));
  const said = marks.map((m) => `${m.name} ${m.xs.text}, ${m.ys.text}`).join('; ');
  return {
    height,
    summary: `Scatter chart, ${time.title} against ${memory.title}. ${said}.`,
    children: [
      ...edge.area,
      ...grid(area, x, y),
      ...crosshair(marks, view.baseline, plot),
      ...edge.label,
      words(`↑ ${memory.title}`, 0, 12, 'axis-title'),
      words(`${time.title} →`, right, height - 6, 'axis-title', 'end'),
      ...points(context, marks, plot, edge.box, lines),
    ],
  };
}
