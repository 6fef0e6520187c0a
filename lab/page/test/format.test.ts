// Numbers as text: units, digits, and rounding that stays true.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as format from '../src/format';

/** The text with plain spaces, for readable tests. */
function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

test('a quantity has a suitable unit', () => {
  const cases: [number, string, string][] = [
    [4.2, 's', '4.20 s'],
    [0.00179, 's', '1.79 ms'],
    [2.5e-7, 's', '250 ns'],
    [125, 's', '125 s'],
    [61_100_000, 'bytes', '58.3 MiB'],
    [512, 'bytes', '512 B'],
    [0, 'bytes', '0 B'],
    [3 * 2 ** 30, 'bytes', '3.00 GiB'],
    [15_207, 'faults', '15,207'],
    [31, 'instructions', '31'],
    [12.5, 'ops/s', '12.5 ops/s'],
    [0, 's', '0 s'],
  ];
  for (const [value, unit, text] of cases) assert.equal(plain(format.quantity(value, unit)), text);
});

test('both ends of an interval have one unit', () => {
  assert.equal(plain(format.quantityInterval({ low: 0.99, high: 1.02 }, 's')), '0.990–1.020 s');
  assert.equal(format.quantityInterval(null, 's'), 'no interval');
});

test('a value has the digits that its interval supports', () => {
  const cases: [number, string, number, number, string][] = [
    [4.2134, 's', 4.15, 4.28, '4.21 s'],
    [4.2134, 's', 3.6, 4.9, '4.2 s'],
    [4.2134, 's', 4.2131, 4.2137, '4.213 s'],
    [0.0123, 's', 0.008, 0.02, '12 ms'],
    [15_207, 'faults', 14_900, 15_500, '15,200'],
    [61_100_000, 'bytes', 61_000_000, 61_200_000, '58.27 MiB'],
    [33, 'instructions', 33, 33, '33'],
    [679, 'faults', 678, 680, '679'],
    [3.5, 'refused', 3, 4, '3.5 refused'],
  ];
  for (const [value, unit, low, high, text] of cases) {
    assert.equal(plain(format.quantity(value, unit, { low, high })), text);
  }
  assert.equal(plain(format.quantityInterval({ low: 3.6, high: 4.9 }, 's')), '3.6–4.9 s');
});

test('rates and negative values', () => {
  assert.equal(plain(format.quantity(-3 * 2 ** 20, 'bytes/min')), '−3.00 MiB/min');
  const range = { low: -1024, high: 3072 };
  assert.equal(plain(format.quantityInterval(range, 'bytes/min')), '−1.0 to 3.0 KiB/min');
});

test('a factor has the digits that its interval supports', () => {
  const cases: [number, number, number, string, string][] = [
    [0.884, 0.87, 0.9, '0.884×', '0.870–0.900×'],
    [0.973, 0.503, 1.659, '0.97×', '0.5–1.7×'],
    [1.2, 1.17, 1.23, '1.20×', '1.17–1.23×'],
    [3.1, 2.5, 3.9, '3.1×', '2.5–3.9×'],
  ];
  for (const [ratio, low, high, one, range] of cases) {
    assert.equal(format.factor(ratio, { low, high }), one);
    assert.equal(format.factorInterval({ low, high }), range);
  }
});

test('the end of an interval that is not 1 does not print as 1', () => {
  assert.equal(format.factorInterval({ low: 1.004, high: 1.3 }), '1.004–1.300×');
  assert.equal(format.factorInterval({ low: 0.7, high: 0.9996 }), '0.7000–0.9996×');
  assert.equal(format.factor(1), '1.000×');
  assert.equal(format.factor(12.345), '12.3×');
});

test('digits counts significant digits', () => {
  assert.equal(format.digits(0), '0');
  assert.equal(format.digits(0.012345), '0.0123');
  assert.equal(format.digits(9.999), '10.0');
  assert.equal(format.digits(1234), '1234');
  assert.equal(format.digits(123_456), '123,456');
});

test('a malformed date is returned unchanged', () => {
  assert.equal(format.date('yesterday'), 'yesterday');
  assert.match(format.date('2025-06-07T12:00:00Z'), /June 2025/);
});

test('plurals', () => {
  assert.equal(format.plural(1, 'row'), '1 row');
  assert.equal(format.plural(0, 'row'), '0 rows');
});

test('the command’s words keep numbers and units together', () => {
  const text = 'takes 5.7 % less memory, 4.1 MiB, in 3 s; 12 mins of 5 bananas at 3 MiB/min';
  const marked = format.unbroken(text).replaceAll('\u00a0', '_');
  assert.equal(
    marked,
    'takes 5.7_% less memory, 4.1_MiB, in 3_s; 12 mins of 5 bananas at 3 MiB/min',
  );
});
