// Numbers for readers. Units come last; spaces inside a quantity do not break.
import type { Interval } from './data';

const space = '\u00a0';
const minus = '\u2212';

/** `value` with a fixed number of decimals; a negative number rounds to tens, hundreds, …. */
function fixed(value: number, places: number): string {
  const step = 10 ** -places;
  const shown = places < 0 ? Math.round(value / step) * step : value;
  const text = shown.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(Math.max(places, 0), 12),
    maximumFractionDigits: Math.min(Math.max(places, 0), 12),
    useGrouping: Math.abs(value) >= 10_000,
  });
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', minus);
}

/** The decimals that show `significant` digits. Rounds first: 9.999 becomes 10.0, not 10.00. */
function placesFor(value: number, significant: number): number {
  if (value === 0) return 0;
  const rounded = Math.abs(Number(value.toPrecision(significant)));
  return significant - 1 - Math.floor(Math.log10(rounded));
}

/** Three significant digits, never in exponent form, with separators from 10,000 on. */
export function digits(value: number, significant = 3): string {
  return fixed(value, Math.max(placesFor(value, significant), 0));
}

/**
 * The decimals that an interval supports: its half width shows one digit, or two if the first is a
 * 1. The value keeps at least two digits and has at most four.
 */
export function supportedPlaces(value: number, interval: Interval | null): number {
  const half = interval === null ? 0 : (interval.high - interval.low) / 2;
  if (half <= 0 || value === 0) return Math.max(placesFor(value, 3), 0);
  const exponent = Math.floor(Math.log10(half));
  const wanted = half / 10 ** exponent < 1.95 ? 1 - exponent : -exponent;
  return Math.min(Math.max(wanted, placesFor(value, 2)), placesFor(value, 4));
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
const counts = new Set([
  'count',
  'faults',
  'instructions',
  'branches',
  'allocations',
  'requests',
  'share',
  '1',
  '',
]);

/** The most readable unit for `value`; for a rate, of its first part. Counts have no name. */
export function unitFor(unit: string, value: number): Unit {
  const [what = '', per] = unit.split('/');
  const ladder = ladders[what === 'B' || what === 'byte' ? 'bytes' : what];
  if (ladder === undefined) return { name: counts.has(unit) ? '' : unit, size: 1 };
  const fitting =
    ladder.find((u) => (value === 0 ? u.size === 1 : Math.abs(value) >= u.size)) ??
    ladder[ladder.length - 1];
  const { name, size } = fitting ?? { name: what, size: 1 };
  return { name: per === undefined ? name : `${name}/${per}`, size };
}

function scaled({ low, high }: Interval, size: number): Interval {
  return { low: low / size, high: high / size };
}

function withUnit(shown: string, name: string): string {
  return name === '' ? shown : `${shown}${space}${name}`;
}

/** Whole counts are exact, so they keep all their digits unless an interval limits them. */
function isExactCount(value: number, scale: Unit): boolean {
  return Number.isInteger(value) && scale.size === 1;
}

/** A count of ten or more has no decimals. */
function placesIn(unit: string, value: number, range: Interval | null): number {
  const places = supportedPlaces(value, range);
  return counts.has(unit) && Math.abs(value) >= 10 ? Math.min(places, 0) : places;
}

/** A measured value with a suitable unit and the digits that its interval supports: `1.23 s`. */
export function quantity(
  value: number,
  unit: string,
  interval: Interval | null = null,
  scale = unitFor(unit, value),
): string {
  const shown = value / scale.size;
  const range = interval === null ? null : scaled(interval, scale.size);
  const certain = range === null || range.low === range.high;
  if (certain && isExactCount(shown, scale)) return withUnit(fixed(shown, 0), scale.name);
  return withUnit(fixed(shown, placesIn(unit, shown, range)), scale.name);
}

/** Both ends in one unit, with equal digits: `1.20–1.25 s`. */
export function quantityInterval(interval: Interval | null, unit: string): string {
  if (interval === null) return 'no interval';
  const scale = unitFor(unit, Math.max(Math.abs(interval.low), Math.abs(interval.high)));
  const { low, high } = scaled(interval, scale.size);
  const exact = low === high && isExactCount(low, scale);
  const places = exact ? 0 : placesIn(unit, (low + high) / 2, { low, high });
  const dash = low < 0 ? ' to ' : '–';
  return withUnit(`${fixed(low, places)}${dash}${fixed(high, places)}`, scale.name);
}

/** The decimals at which a factor other than 1 does not print as 1. */
function placesFromOne(ratio: number): number {
  const distance = Math.abs(ratio - 1);
  return distance < 1e-6 ? 0 : Math.ceil(-Math.log10(distance * 1.999));
}

function factorPlaces(ratio: number, interval: Interval | null): number {
  const ends = interval === null ? [ratio] : [interval.low, interval.high];
  const apart = Math.max(...ends.map(placesFromOne));
  const usual =
    interval === null ? (ratio >= 10 ? 1 : ratio >= 1.1 ? 2 : 3) : supportedPlaces(ratio, interval);
  // A tenth of a percent is fine enough, unless it hides that an end is not 1.
  return Math.max(Math.min(usual, 3), Math.min(apart, 4), 0);
}

/** A ratio as a factor, with the digits that its interval supports. */
export function factor(ratio: number, interval: Interval | null = null): string {
  return `${fixed(ratio, factorPlaces(ratio, interval))}×`;
}

/** Both ends of a ratio's interval. An end that is not 1 does not print as 1. */
export function factorInterval(interval: Interval | null): string {
  if (interval === null) return 'no interval';
  const places = factorPlaces((interval.low + interval.high) / 2, interval);
  return `${fixed(interval.low, places)}–${fixed(interval.high, places)}×`;
}

export function percent(part: number): string {
  const value = Math.abs(part) * 100;
  const shown = value >= 10 ? value.toFixed(0) : Number(value.toPrecision(value >= 1 ? 2 : 1));
  return `${shown}${space}%`;
}

/** The command's words, with numbers and their units on one line: `5.7 %`, `4.1 MiB`. */
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=(?:%|[KMGT]?i?B|[mµn]?s|min)(?![\w/]))/g, `$1${space}`);
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

/** `a`, `a and b`, `a, b and c`. */
export function list(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1] ?? ''}`;
}

/** `smallest_at_peak` → `Smallest at peak`. */
export function sentenceCase(key: string): string {
  const words = key.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
