// The frame of a chart over time: its box, its axes, and paths through it.
import { svg, type Child } from '../dom';
import { line, plotted, scaler, textWidth, words } from '../figure';
import { bytesAxis, timeAxis, type Scaled } from './axes';

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly x: (ns: number) => number;
  readonly y: (bytes: number) => number;
  readonly times: Scaled;
  readonly bytes: Scaled;
}

/** The box of a chart of `width` for times up to `end` and bytes up to `top`. */
export function frameOf(width: number, end: number, top: number): Frame {
  const bytes = bytesAxis(top);
  const left = Math.ceil(Math.max(...bytes.axis.ticks.map((t) => textWidth(t.label)))) + 10;
  const height = Math.round(Math.min(Math.max(width * 0.3, 220), 420));
  const [above, below, right] = [26, 30, width - 6];
  const times = timeAxis(end, right - left);
  const x = scaler(times.axis, left, right);
  const y = scaler(bytes.axis, height - below, above);
  return {
    left,
    top: above,
    right,
    bottom: height - below,
    x: (ns) => x(ns / times.size),
    y: (n) => y(n / bytes.size),
    times,
    bytes,
  };
}

/** Grid, ticks and the titles of both axes. */
export function axesOf(frame: Frame): Child[] {
  const { left, top, right, bottom, times, bytes } = frame;
  const atX = plotted(times.axis, left, right);
  const atY = plotted(bytes.axis, bottom, top);
  const last = times.axis.ticks[times.axis.ticks.length - 1];
  const timeTicks = times.axis.ticks.flatMap((tick) => {
    const at = atX(tick.at);
    const anchor = at > right - 20 ? 'end' : at < left + 8 ? 'start' : 'middle';
    const label = tick === last ? `${tick.label} ${times.unit}` : tick.label;
    return [
      line(at, bottom, at, bottom + 4, 'foot'),
      words(label, anchor === 'end' ? right : at, bottom + 19, 'tick', anchor),
    ];
  });
  const byteTicks = bytes.axis.ticks.flatMap((tick) => [
    line(left, atY(tick.at), right, atY(tick.at), tick.at === 0 ? 'foot' : 'grid'),
    words(tick.label, left - 8, atY(tick.at) + 4, 'tick', 'end'),
  ]);
  const title = words(`In use (${bytes.unit})`, 0, 12, 'axis-title');
  return [...byteTicks, ...timeTicks, title];
}

function at(n: number): string {
  return (Math.round(n * 10) / 10).toString();
}

/** The path through points. */
export function through(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${at(x)} ${at(y)}`).join('');
}

/** The area between an upper and a lower edge that share their abscissas. */
export function between(
  upper: readonly (readonly [number, number])[],
  lower: readonly (readonly [number, number])[],
): string {
  return `${through(upper)}${through([...lower].reverse()).replace('M', 'L')}Z`;
}

export function path(d: string, attributes: Readonly<Record<string, string>>): SVGElement {
  return svg('path', { d, ...attributes });
}
