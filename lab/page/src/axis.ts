// Axes with round ticks, on linear and logarithmic scales of any width.
import type { Scale } from './state';

export interface Tick {
  /** Its position, in plotted coordinates. */
  readonly at: number;
  readonly label: string;
}

export interface Axis {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly Tick[];
  /** Maps a value to its plotted coordinate; on a log scale, its logarithm. */
  readonly plot: (value: number) => number;
}

/** The round step (1, 2 or 5 times a power of ten) that divides `span` into about `count` parts. */
function roundStep(span: number, count: number): number {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

function label(value: number, step: number): string {
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return value.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(places, 12),
    maximumFractionDigits: Math.min(places, 12),
  });
}

function evenTicks(low: number, high: number, count: number): [number, string][] {
  const step = roundStep(high - low, count);
  const ticks: [number, string][] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + Math.abs(high) * 1e-12; i += 1) {
    const value = i * step + 0; // never -0
    ticks.push([value, label(value, step)]);
  }
  return ticks;
}

function decadeTicks(low: number, high: number): [number, string][] {
  const wide = Math.log10(high / low);
  const marks = wide > 4 ? [1] : wide > 1.3 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const ticks: [number, string][] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const mark of marks) {
      const value = mark * 10 ** power;
      const step = mark === 1.5 ? 10 ** (power - 1) : 10 ** power;
      if (value >= low && value <= high) ticks.push([value, label(value, step)]);
    }
  }
  return ticks;
}

/**
 * An axis over `values`. On a linear scale it reaches down to `origin`, if given. On a log scale
 * every value must be positive. `suffix` follows each label.
 */
export function makeAxis(
  values: readonly number[],
  scale: Scale,
  { origin = null, suffix = '', count = 5, pad = 0.08 }: AxisOptions = {},
): Axis {
  const given = values.length > 0 ? values : [1];
  const all = origin !== null && (scale === 'linear' || origin > 0) ? [...given, origin] : given;
  let low = Math.min(...all);
  let high = Math.max(...all);
  // Values this close differ by rounding only, and no tick fits between them.
  if (high - low <= 1e-9 * Math.abs(high))
    [low, high] = low === 0 ? [0, 1] : [low * 0.9, high * 1.1];
  if (scale === 'log') {
    const room = (high / low) ** pad;
    [low, high] = [low / room, high * room];
  } else {
    const room = (high - low) * pad;
    // Bars start at the edge of the plot, since no value is below zero.
    [low, high] = [
      origin === 0 && low === 0 ? 0 : low < 0 ? low - room : Math.max(low - room, 0),
      high + room,
    ];
  }
  const plot = scale === 'log' ? Math.log10 : (value: number): number => value;
  const even = scale === 'linear' || high / low < 3;
  const ticks = even ? evenTicks(low, high, count) : decadeTicks(low, high);
  return {
    min: plot(low),
    max: plot(high),
    ticks: ticks.map(([value, text]) => ({ at: plot(value), label: text + suffix })),
    plot,
  };
}

export interface AxisOptions {
  readonly origin?: number | null;
  readonly suffix?: string;
  /** The approximate number of ticks. */
  readonly count?: number;
  /** Free space at both ends, as a part of the width. */
  readonly pad?: number;
}

/** The labels that fit beside each other in `width`, from the right: the last one always stays. */
export function clearOf(
  labels: readonly { readonly at: number; readonly label: string }[],
  x: (at: number) => number,
  width: number,
  wide: (label: string) => number,
): { readonly middle: number; readonly label: string }[] {
  let limit = width;
  return [...labels].reverse().flatMap(({ at, label }, i) => {
    const half = wide(label) / 2;
    const middle = i === 0 ? Math.min(x(at), width - half) : x(at);
    if (middle + half > limit) return [];
    limit = middle - half - 8;
    return [{ middle, label }];
  });
}
