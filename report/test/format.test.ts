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
  assert.equal(plain(format.quantityInterval({ low: 0.99, high: 1.02 }, 's')), '0.990–1.02 s');
  assert.equal(format.quantityInterval(null, 's'), 'no interval');
});

test('a factor other than 1 never prints as 1', () => {
  const cases: [number, string][] = [
    [0.884, '0.884×'],
    [0.997, '0.997×'],
    [1.002, '1.002×'],
    [1.0004, '1.0004×'],
    [0.99996, '0.99996×'],
    [1, '1.000×'],
    [1.316, '1.32×'],
    [12.345, '12.3×'],
  ];
  for (const [ratio, text] of cases) assert.equal(format.factor(ratio), text);
  assert.equal(format.factorInterval({ low: 0.87, high: 0.893 }), '0.870–0.893×');
});

test('a change is described in words', () => {
  assert.equal(plain(format.change(0.88, 'wall time')), '12 % less wall time');
  assert.equal(plain(format.change(1.034, 'peak memory')), '3.4 % more peak memory');
  assert.equal(plain(format.change(0.998, 'CPU time')), '0.2 % less CPU time');
  assert.equal(format.change(2.5, 'peak memory'), '2.5 times the peak memory');
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
