// The geometry of the charts: Pareto front, ticks, and the positions of names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAxis } from '../src/axis';
import { placeLabels, type Anchor, type Box } from '../src/labels';
import { paretoFront, staircase } from '../src/pareto';

test('the front contains the unbeaten points, from left to right', () => {
  const [a, b, c, d] = [
    { x: 3, y: 1 },
    { x: 1, y: 3 },
    { x: 2, y: 2 },
    { x: 3, y: 3 },
  ] as const;
  assert.deepEqual(paretoFront([a, b, c, d]), [b, c, a]);
});

test('the front keeps equal points; a point with a tie on one axis can be beaten on the other', () => {
  const twins = [
    { x: 1, y: 1 },
    { x: 1, y: 1 },
    { x: 1, y: 2 },
    { x: 2, y: 1 },
  ];
  assert.deepEqual(paretoFront(twins), twins.slice(0, 2));
  assert.deepEqual(paretoFront([]), []);
});

test('no point on the front of random points is beaten, and every other point is', () => {
  const points = Array.from({ length: 200 }, (_, i) => ({ x: (i * 73) % 211, y: (i * 151) % 223 }));
  const front = new Set(paretoFront(points));
  for (const p of points) {
    const beaten = points.some((q) => q !== p && q.x <= p.x && q.y <= p.y);
    assert.equal(front.has(p), !beaten);
  }
});

test('the staircase goes down from the top and out to the right', () => {
  const corners = staircase(
    [
      { x: 1, y: 3 },
      { x: 2, y: 1 },
    ],
    9,
    8,
  );
  assert.deepEqual(
    corners.map((p) => [p.x, p.y]),
    [
      [1, 8],
      [1, 3],
      [2, 3],
      [2, 1],
      [9, 1],
    ],
  );
  assert.deepEqual(staircase([], 9, 8), []);
});

const labels = (axis: { ticks: readonly { label: string }[] }): string[] =>
  axis.ticks.map((t) => t.label);

test('a linear axis from zero has round ticks and starts at zero', () => {
  const axis = makeAxis([3.72, 4.21], 'linear', { origin: 0, pad: 0.05 });
  assert.equal(axis.min, 0);
  assert.deepEqual(labels(axis), ['0', '1', '2', '3', '4']);
});

test('a narrow log axis has even ticks, and a wide one has decades', () => {
  const narrow = makeAxis([0.88, 1.02], 'log', { suffix: '×', pad: 0 });
  assert.deepEqual(labels(narrow), [
    '0.88×',
    '0.90×',
    '0.92×',
    '0.94×',
    '0.96×',
    '0.98×',
    '1.00×',
    '1.02×',
  ]);
  const wide = makeAxis([1, 1000], 'log', { pad: 0 });
  assert.deepEqual(labels(wide), ['1', '2', '5', '10', '20', '50', '100', '200', '500', '1,000']);
  const vast = makeAxis([1, 1e6], 'log', { pad: 0 });
  assert.equal(vast.ticks.length, 7);
});

test('every value and every tick lies on its axis, on all scales', () => {
  const sets = [
    [],
    [5],
    [0],
    [1, 1 + 2 ** -52],
    [1e-9, 1],
    [0.999, 1.001],
    [7, 7.0001],
    [12_000, 20_000],
    [0.3, 3.1],
  ];
  for (const scale of ['log', 'linear'] as const) {
    for (const values of sets.filter((v) => scale === 'linear' || !v.includes(0))) {
      const axis = makeAxis(values, scale);
      assert.ok(axis.min < axis.max, `${scale} ${values.join(' ')}`);
      assert.ok(axis.ticks.length >= 2 && axis.ticks.length <= 13, `${scale} ${values.join(' ')}`);
      assert.equal(new Set(labels(axis)).size, axis.ticks.length, labels(axis).join(' '));
      for (const at of [...values.map(axis.plot), ...axis.ticks.map((t) => t.at)]) {
        assert.ok(at >= axis.min - 1e-12 && at <= axis.max + 1e-12, `${scale} ${values.join(' ')}`);
      }
    }
  }
});

const area: Box = { x: 0, y: 0, width: 600, height: 400 };

function anchor(x: number, y: number): Anchor {
  return { x, y, textWidth: 80, drawn: [{ x: x - 8, y: y - 8, width: 16, height: 16 }] };
}

function disjoint(a: Box, b: Box): boolean {
  const beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return beside || a.y + a.height <= b.y || b.y + b.height <= a.y;
}

test('a lone name lies right of its point, or left of it at the right edge', () => {
  assert.ok((placeLabels([anchor(100, 100)], area)[0]?.x ?? 0) > 100);
  const [box] = placeLabels([anchor(590, 100)], area);
  assert.ok(box !== undefined && box.x + box.width < 590);
});

test('the names of close points hide neither each other nor a point', () => {
  const anchors = [anchor(300, 200), anchor(303, 201), anchor(310, 215), anchor(330, 190)];
  const boxes = placeLabels(anchors, area);
  boxes.forEach((box, i) => {
    for (const other of boxes.slice(i + 1)) assert.ok(disjoint(box, other));
    for (const { drawn } of anchors) for (const sign of drawn) assert.ok(disjoint(box, sign));
  });
});
