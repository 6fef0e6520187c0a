// Numbers for readers. Units come last; spaces inside a quantity do not break.
import type { Interval } from './data';

const space = '\u00a0';

/** Three significant digits, never in exponent form, with separators from 10,000 on. */
export function digits(value: number, significant = 3): string {
  if (value === 0) return '0';
  // Round first: 9.999 becomes 10.0, not 10.00.
  const rounded = Math.abs(Number(value.toPrecision(significant)));
  const magnitude = Math.floor(Math.log10(rounded));
  const places = Math.min(Math.max(significant - 1 - magnitude, 0), 12);
  return value.toLocaleString('en-US', {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    useGrouping: Math.abs(value) >= 10_000,
  });
}

export interface Unit {
  readonly name: string;
  /** The number of recorded units in one of this unit. */
  readonly size: number;
}

const ladders: Readonly<Record<string, readonly Unit[]>> = {
  s: [
    { name: 's', size: 1 },
    { name: 'ms', size: 1e-3 },
    { name: 'µs', size: 1e-6 },
    { name: 'ns', size: 1e-9 },
  ],
  bytes: [
    { name: 'GiB', size: 2 ** 30 },
    { name: 'MiB', size: 2 ** 20 },
    { name: 'KiB', size: 2 ** 10 },
    { name: 'B', size: 1 },
  ],
};

/** Plain counts. The heading names the unit, so the number has none. */
const counts = new Set(['count', 'faults', 'instructions']);

/** The most readable unit for `value`. Counts keep their own name. */
export function unitFor(unit: string, value: number): Unit {
  const ladder = ladders[unit === 'B' || unit === 'byte' ? 'bytes' : unit];
  if (ladder === undefined) return { name: counts.has(unit) ? '' : unit, size: 1 };
  const fitting =
    ladder.find((u) => (value === 0 ? u.size === 1 : Math.abs(value) >= u.size)) ??
    ladder[ladder.length - 1];
  return fitting ?? { name: unit, size: 1 };
}

/** A measured value with a suitable unit: `1.23 s`, `45.6 MiB`, `12,345`. */
export function quantity(value: number, unit: string, scale = unitFor(unit, value)): string {
  const scaled = value / scale.size;
  const whole = scale.size === 1 && !(unit in ladders) && Number.isInteger(scaled);
  const shown = whole ? scaled.toLocaleString('en-US') : digits(scaled);
  return scale.name === '' ? shown : `${shown}${space}${scale.name}`;
}

/** A ratio as a factor, with as many digits as it needs: 0.997 must not print as 1.00. */
export function factor(ratio: number): string {
  const distance = Math.abs(ratio - 1);
  if (distance >= 0.1) return `${digits(ratio)}×`;
  const places = distance === 0 ? 3 : Math.ceil(-Math.log10(distance));
  return `${ratio.toFixed(Math.min(Math.max(places, 3), 6))}×`;
}

export function factorInterval(interval: Interval | null): string {
  if (interval === null) return 'no interval';
  return `${factor(interval.low).slice(0, -1)}–${factor(interval.high)}`;
}

/** Both ends in one unit: `1.20–1.25 s`. */
export function quantityInterval(interval: Interval | null, unit: string): string {
  if (interval === null) return 'no interval';
  const scale = unitFor(unit, interval.high);
  const low = quantity(interval.low, unit, { ...scale, name: '' });
  return `${low}–${quantity(interval.high, unit, scale)}`;
}

export function percent(part: number): string {
  const value = Math.abs(part) * 100;
  return `${value >= 10 ? value.toFixed(0) : value.toPrecision(value >= 1 ? 2 : 1)}${space}%`;
}

/** How a ratio changes a quantity: `12 % less time`, `3.4 % more time`, `2.5 times the time`. */
export function change(ratio: number, noun: string): string {
  if (ratio >= 2) return `${digits(ratio, 2)} times the ${noun}`;
  return `${percent(ratio - 1)} ${ratio < 1 ? 'less' : 'more'} ${noun}`;
}

/** A date in the reader's time zone, or the text itself if it is not a date. */
export function date(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  return time.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
