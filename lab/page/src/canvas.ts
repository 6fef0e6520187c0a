// The scales and axes of the canvas, with our own ticks on the vertical axis.
import { chartFont, textWidth } from './figure';
import { colour } from './theme';
import type uPlot from 'uplot';
import type { clockFor, Vertical } from './lines';

const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 240];

export function scalesOf({ axis }: Vertical, range: readonly [number, number]): uPlot.Scales {
  return {
    x: { time: false, range: () => [range[0], range[1]] },
    y: { range: () => [axis.min, axis.max] },
  };
}

export function axesOf({ axis }: Vertical, { size }: ReturnType<typeof clockFor>): uPlot.Axis[] {
  const labels = new Map(axis.ticks.map((t) => [t.at, t.label]));
  const shared = { stroke: colour('quiet'), font: chartFont(0.75), ticks: { show: false } };
  return [
    {
      ...shared,
      grid: { show: false },
      incrs: steps.map((step) => step * size),
      values: (_, splits) => splits.map((t) => (t / size).toLocaleString('en-US')),
      size: 26,
    },
    {
      ...shared,
      grid: { stroke: colour('line'), width: 1 },
      size: Math.max(...axis.ticks.map((t) => textWidth(t.label))) + 18,
      gap: 6,
      splits: () => axis.ticks.map((t) => t.at),
      values: (_, splits) => splits.map((at) => labels.get(at) ?? ''),
    },
  ];
}

/** The index of the nearest point of a line, since lines do not share their times. */
export function nearest(values: ArrayLike<number | null | undefined>, index: number): number {
  for (let away = 0; away < values.length; away += 1) {
    for (const i of [index - away, index + away]) {
      if (values[i] !== null && values[i] !== undefined) return i;
    }
  }
  return index;
}
