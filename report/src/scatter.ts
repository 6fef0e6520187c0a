// Time against peak memory: a point for each contender, its intervals as a cross, the Pareto front.
import { makeAxis, type Axis } from './axis';
import { fontFamily, tooltipBody, tooltipStyle, valueAxis, type Chart, type Option } from './chart';
import { lookOf, tooltipLines, visible, type Context } from './context';
import { factor, quantity, unitFor } from './format';
import { metricFor, rss, type Metric } from './metrics';
import { paretoFront, staircase, type Point } from './pareto';
import { placeLabels, type Anchor, type Box } from './labels';
import { colours, type Colours } from './theme';

interface Spread {
  readonly mid: number;
  readonly low: number;
  readonly high: number;
}

export interface Mark extends Point {
  readonly name: string;
  readonly xs: Spread;
  readonly ys: Spread;
}

interface Dimension {
  readonly metric: Metric;
  readonly title: string;
  readonly suffix: string;
  readonly spread: (name: string) => Spread | null;
}

function absolute(context: Context, caseId: string, metric: Metric): Dimension {
  const all = context.table
    .present(caseId, metric.key)
    .map((name) => context.table.sample(caseId, metric.key, name)?.median ?? 0);
  const recorded = context.table.sample(caseId, metric.key, context.view.baseline)?.unit;
  const unitName = recorded ?? (metric === rss ? 'bytes' : 's');
  const unit = unitFor(unitName, Math.max(...all));
  return {
    metric,
    title: `${metric.title} (${unit.name})`,
    suffix: '',
    spread: (name) => {
      const s = context.table.sample(caseId, metric.key, name);
      if (s === null) return null;
      const { low, high } = s.interval ?? { low: s.median, high: s.median };
      return { mid: s.median / unit.size, low: low / unit.size, high: high / unit.size };
    },
  };
}

function relative(context: Context, caseId: string, metric: Metric): Dimension {
  const { baseline } = context.view;
  return {
    metric,
    title: `${metric.title} relative to ${baseline}`,
    suffix: '×',
    spread: (name) => {
      if (name === baseline) return { mid: 1, low: 1, high: 1 };
      const c = context.table.compare(caseId, metric.key, name, baseline);
      if (c === null) return null;
      const { low, high } = c.interval ?? { low: c.ratio, high: c.ratio };
      return { mid: c.ratio, low, high };
    },
  };
}

interface Frame {
  readonly coordSys: Box;
}

interface Api {
  coord: (p: [number, number]) => [number, number];
}

type Pair = readonly [number, number];

/** All crosses and names in one drawing, so that a name can avoid everything it could hide. */
function crosses(marks: readonly Mark[], x: Axis, y: Axis, context: Context, c: Colours): object {
  const renderItem = ({ coordSys }: Frame, api: Api): object => {
    const at = (p: Pair): Pair => api.coord([x.plot(p[0]), y.plot(p[1])]);
    const arms = marks.map(({ xs, ys }): [Pair, Pair][] => [
      [at([xs.low, ys.mid]), at([xs.high, ys.mid])],
      [at([xs.mid, ys.low]), at([xs.mid, ys.high])],
    ]);
    const lines = marks.flatMap(({ name }, i) => {
      const stroke = c.contender[lookOf(context, name).slot];
      return (arms[i] ?? []).map(([from, to]) => ({
        type: 'line',
        shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] },
        style: { stroke, lineWidth: 2, opacity: 0.75 },
      }));
    });
    const anchors = marks.map((m, i): Anchor => {
      const [px, py] = at([m.xs.mid, m.ys.mid]);
      const drawn = (arms[i] ?? []).map(([from, to]): Box => ({
        x: from[0] - 1,
        y: to[1] - 1,
        width: to[0] - from[0] + 2,
        height: from[1] - to[1] + 2,
      }));
      const sign = { x: px - 8, y: py - 8, width: 16, height: 16 };
      return { x: px, y: py, textWidth: m.name.length * 7, drawn: [sign, ...drawn] };
    });
    const names = placeLabels(anchors, coordSys).map((box, i) => ({
      type: 'text',
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      style: {
        text: marks[i]?.name ?? '',
        fill: c.text,
        font: `12.5px ${fontFamily}`,
        align: 'center',
        verticalAlign: 'middle',
        stroke: c.surface,
        lineWidth: 3,
      },
    }));
    return { type: 'group', children: [...lines, ...names] };
  };
  return {
    type: 'custom',
    silent: true,
    z: 3,
    data: marks.length > 0 ? [[x.min, y.min]] : [],
    renderItem,
  };
}

function points(marks: readonly Mark[], x: Axis, y: Axis, context: Context, c: Colours): object[] {
  const { baseline } = context.view;
  return marks.map((m) => {
    const { slot, path } = lookOf(context, m.name);
    const at = [x.plot(m.xs.mid), y.plot(m.ys.mid)] as const;
    const guide = {
      silent: true,
      symbol: 'none',
      animation: false,
      precision: 12,
      label: { show: false },
    };
    return {
      type: 'scatter',
      name: m.name,
      z: m.name === baseline ? 3 : 4,
      symbol: `path://${path}`,
      symbolSize: 15,
      itemStyle: { color: c.contender[slot], borderColor: c.surface, borderWidth: 1 },
      emphasis: { scale: 1.35 },
      label: { show: false },
      data: [at],
      ...(m.name === baseline
        ? {
            markLine: {
              ...guide,
              lineStyle: { color: c.quiet, type: [3, 4], width: 1 },
              data: [{ xAxis: at[0] }, { yAxis: at[1] }],
            },
          }
        : {}),
    };
  });
}

function front(marks: readonly Mark[], x: Axis, y: Axis, c: Colours): object {
  const at = marks.map((m) => ({ x: x.plot(m.xs.mid), y: y.plot(m.ys.mid) }));
  const corners = staircase(paretoFront(at), x.max, y.max);
  return {
    type: 'line',
    silent: true,
    z: 1,
    symbol: 'none',
    data: corners.map((p) => [p.x, p.y]),
    lineStyle: { color: c.accent, width: 1.5, opacity: 0.8 },
    areaStyle: { origin: 'end', color: c.accent, opacity: 0.05 },
  };
}

function describe(marks: readonly Mark[], time: Dimension, memory: Dimension): string {
  const all = marks.map((m) => {
    const show = (d: Dimension, s: Spread): string =>
      d.suffix === '×' ? factor(s.mid) : quantity(s.mid, '', { name: '', size: 1 });
    return `${m.name} ${show(time, m.xs)}, ${show(memory, m.ys)}`;
  });
  return `Scatter chart, ${time.title} against ${memory.title}. ${all.join('; ')}.`;
}

/** Draws the chart and returns the title of its vertical axis. */
export function drawScatter(chart: Chart, context: Context, caseId: string): string {
  const { view } = context;
  const dimension = view.mode === 'absolute' ? absolute : relative;
  const time = dimension(context, caseId, metricFor(view.time));
  const memory = dimension(context, caseId, rss);
  const marks = visible(context, caseId, time.metric).flatMap((name): Mark[] => {
    const xs = time.spread(name);
    const ys = memory.spread(name);
    return xs === null || ys === null ? [] : [{ name, xs, ys, x: xs.mid, y: ys.mid }];
  });
  const c = colours();
  const ends = (pick: (m: Mark) => Spread): number[] =>
    marks.flatMap((m) => [pick(m).low, pick(m).high]);
  const positive = marks.every((m) => m.xs.low > 0 && m.ys.low > 0);
  const scale = positive ? view.scale : 'linear';
  const count = Math.min(Math.max(Math.floor(chart.width / 130), 2), 7);
  const x = makeAxis(
    ends((m) => m.xs),
    scale,
    { suffix: time.suffix, pad: 0.12, count },
  );
  const y = makeAxis(
    ends((m) => m.ys),
    scale,
    { suffix: memory.suffix, pad: 0.12 },
  );
  const option = {
    grid: { left: 58, right: 18, top: 12, bottom: 52 },
    xAxis: { ...valueAxis(x, `${time.title} →`, c), nameLocation: 'middle', nameGap: 32 },
    yAxis: valueAxis(y, '', c),
    tooltip: {
      ...tooltipStyle(c),
      trigger: 'item',
      formatter: ({ seriesName }: { seriesName: string }) =>
        tooltipBody(seriesName, [
          ...tooltipLines(context, caseId, time.metric, seriesName),
          ...tooltipLines(context, caseId, memory.metric, seriesName),
        ]),
    },
    series: [
      front(marks, x, y, c),
      crosses(marks, x, y, context, c),
      ...points(marks, x, y, context, c),
    ],
  };
  chart.draw(option as unknown as Option, describe(marks, time, memory));
  return memory.title;
}
