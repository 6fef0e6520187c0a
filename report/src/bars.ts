// One panel per metric: a bar per contender with its 95 % interval.
import { makeAxis, type Axis } from './axis';
import { fontFamily, tooltipBody, tooltipStyle, valueAxis, type Chart, type Option } from './chart';
import { lookOf, tooltipLines, visible, type Context } from './context';
import { factor, quantity, unitFor } from './format';
import { colours, type Colours } from './theme';
import type { Outcome } from './compare';
import type { Metric } from './metrics';

interface Bar {
  readonly name: string;
  readonly mid: number;
  readonly low: number;
  readonly high: number;
  readonly text: string;
  readonly outcome: Outcome | 'baseline';
}

interface Panel {
  readonly bars: readonly Bar[];
  readonly axis: Axis;
  /** Where bars start, in plotted coordinates; null on a log scale of absolute values. */
  readonly foot: number | null;
  readonly title: string;
}

function absoluteBars(context: Context, caseId: string, metric: Metric, size: number): Bar[] {
  const { table, view } = context;
  return visible(context, caseId, metric).flatMap((name): Bar[] => {
    const s = table.sample(caseId, metric.key, name);
    if (s === null) return [];
    const { low, high } = s.interval ?? { low: s.median, high: s.median };
    const compared = table.compare(caseId, metric.key, name, view.baseline);
    return [
      {
        name,
        mid: s.median / size,
        low: low / size,
        high: high / size,
        text: quantity(s.median, s.unit),
        outcome: name === view.baseline ? 'baseline' : (compared?.outcome ?? 'unknown'),
      },
    ];
  });
}

function relativeBars(context: Context, caseId: string, metric: Metric): Bar[] {
  const { table, view } = context;
  return visible(context, caseId, metric).flatMap((name): Bar[] => {
    if (name === view.baseline) {
      return [{ name, mid: 1, low: 1, high: 1, text: 'baseline', outcome: 'baseline' }];
    }
    const c = table.compare(caseId, metric.key, name, view.baseline);
    if (c === null) return [];
    const { low, high } = c.interval ?? { low: c.ratio, high: c.ratio };
    return [{ name, mid: c.ratio, low, high, text: factor(c.ratio), outcome: c.outcome }];
  });
}

function makePanel(context: Context, caseId: string, metric: Metric, count: number): Panel {
  const { table, view } = context;
  const relative = view.mode === 'relative';
  const samples = table.present(caseId, metric.key).map((n) => table.sample(caseId, metric.key, n));
  const largest = Math.max(...samples.map((s) => s?.median ?? 0));
  const unit = unitFor(samples[0]?.unit ?? '', largest);
  const bars = relative
    ? relativeBars(context, caseId, metric)
    : absoluteBars(context, caseId, metric, unit.size);
  const ends = bars.flatMap((b) => [b.low, b.high]);
  // A log scale has no zero. A panel with a zero is drawn on a linear scale, so no value is lost.
  const scale = ends.some((v) => v <= 0) ? 'linear' : view.scale;
  // The axis shows at least ±5 %. Otherwise noise would fill a relative panel.
  const values = relative ? [...ends, 0.95, 1.05] : ends;
  const origin = relative ? 1 : scale === 'linear' ? 0 : null;
  const axis = makeAxis(values, scale, { origin, suffix: relative ? '×' : '', count });
  const where = relative
    ? `relative to ${view.baseline}`
    : unit.name === ''
      ? ''
      : `(${unit.name})`;
  const foot = origin === null ? null : axis.plot(origin);
  return { bars, axis, foot, title: `${metric.title} ${where}`.trim() };
}

/** Pale bars do not differ measurably from the baseline. */
function opacity(outcome: Bar['outcome']): number {
  return outcome === 'same' || outcome === 'unknown' ? 0.35 : 1;
}

interface Api {
  coord: (p: [number, number]) => [number, number];
  size: (p: [number, number]) => [number, number];
}

function whisker(low: number, high: number, middle: number, cap: number, c: Colours): object[] {
  const style = { stroke: c.text, lineWidth: 1.5 };
  const line = (x1: number, y1: number, x2: number, y2: number): object => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style,
  });
  return [
    line(low, middle, high, middle),
    line(low, middle - cap, low, middle + cap),
    line(high, middle - cap, high, middle + cap),
  ];
}

function renderBar(panel: Panel, context: Context, c: Colours) {
  return ({ dataIndex }: { dataIndex: number }, api: Api): object | null => {
    const bar = panel.bars[dataIndex];
    if (bar === undefined) return null;
    const at = (value: number): number => api.coord([panel.axis.plot(value), dataIndex])[0];
    const middle = api.coord([panel.axis.min, dataIndex])[1];
    const height = Math.min(api.size([0, 1])[1] * 0.62, 20);
    const fill = c.contender[lookOf(context, bar.name).slot] ?? c.text;
    const end = at(bar.mid);
    const style = { fill, opacity: opacity(bar.outcome) };
    const [foot] = panel.foot === null ? [null] : api.coord([panel.foot, dataIndex]);
    const body =
      foot === null
        ? { type: 'circle', shape: { cx: end, cy: middle, r: height / 2.6 }, style }
        : {
            type: 'rect',
            shape: {
              x: Math.min(foot, end),
              y: middle - height / 2,
              width: Math.max(Math.abs(end - foot), 1),
              height,
              r: 2,
            },
            style,
          };
    const marks = whisker(at(bar.low), at(bar.high), middle, height / 4, c);
    return { type: 'group', children: bar.low < bar.high ? [body, ...marks] : [body] };
  };
}

function describe(panel: Panel): string {
  const bars = panel.bars.map((b) => `${b.name} ${b.text}`);
  return `Bar chart, ${panel.title}: ${bars.join('; ')}.`;
}

export function barsHeight(context: Context, caseId: string, metric: Metric): number {
  return 56 + 30 * visible(context, caseId, metric).length;
}

/** Names on the left, printed values on the right. */
function sides(panel: Panel, c: Colours): object[] {
  const axis = {
    type: 'category',
    inverse: true,
    data: panel.bars.map((b) => b.name),
    axisLine: { show: false },
    axisTick: { show: false },
  };
  const label = { interval: 0, fontSize: 12.5, fontFamily, color: c.text };
  const value = (_: string, i: number): string => panel.bars[i]?.text ?? '';
  return [
    { ...axis, axisLabel: { ...label, width: 112, overflow: 'truncate' } },
    { ...axis, position: 'right', axisLabel: { ...label, formatter: value } },
  ];
}

export function drawBars(chart: Chart, context: Context, caseId: string, metric: Metric): string {
  const c = colours();
  // One tick for each 70 pixels between the names and the numbers.
  const count = Math.max(Math.floor((chart.width - 208) / 70), 2);
  const panel = makePanel(context, caseId, metric, count);
  const names = panel.bars.map((b) => b.name);
  const foot = panel.foot === null || panel.foot === panel.axis.min ? [] : [{ xAxis: panel.foot }];
  const option = {
    grid: { left: 126, right: 82, top: 8, bottom: 26 },
    xAxis: valueAxis(panel.axis, '', c),
    yAxis: sides(panel, c),
    tooltip: {
      ...tooltipStyle(c),
      trigger: 'item',
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const name = names[dataIndex] ?? '';
        return tooltipBody(name, tooltipLines(context, caseId, metric, name));
      },
    },
    series: [
      {
        type: 'custom',
        renderItem: renderBar(panel, context, c),
        data: panel.bars.map((b, i) => [panel.axis.plot(b.mid), i]),
        encode: { x: 0, y: 1 },
        markLine: {
          silent: true,
          symbol: 'none',
          precision: 12,
          label: { show: false },
          lineStyle: { color: c.quiet, type: 'solid', width: 1 },
          data: foot,
        },
      },
    ],
  };
  chart.draw(option as unknown as Option, describe(panel));
  return panel.title;
}
