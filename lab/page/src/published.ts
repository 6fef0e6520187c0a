// Figures that others published, beside ours. They come from other machines, so nothing is compared.
import { gridOf } from './bars';
import { makeAxis } from './axis';
import { lookOf, visible, type Context } from './context';
import { svg } from './dom';
import { familiesOf, positions } from './families';
import { line, mark, scaler, shortened, textWidth, words, type Drawing } from './figure';
import { quantity, unitFor } from './format';
import { hides } from './hiding';
import { metricFor } from './metrics';
import { linesOver } from './series';
import { caseId, type Case } from './places';
import { tip, tipBody } from './tooltip';
import type { Interval, Published } from './data';
import type { Lines } from './linechart';

const rowHeight = 26;
const top = 4;

export function publishedOf({ table }: Context, id: string): Published[] {
  return table.results.published.filter((each) => caseId(each) === id);
}

/** The metrics of a case for which figures were published. */
export function publishedMetrics(context: Context, id: string): string[] {
  return [...new Set(publishedOf(context, id).map(({ metric }) => metric))];
}

interface Row {
  readonly name: string;
  readonly value: number;
  readonly interval: Interval | null;
  /** Null for a value of ours. */
  readonly source: string | null;
}

function rowsOf(context: Context, id: string, metric: string): Row[] {
  const { table } = context;
  const ours = visible(context, id, metric).flatMap((name): Row[] => {
    const sample = table.sample(id, metric, name);
    if (sample === null || sample.median <= 0) return [];
    return [{ name, value: sample.median, interval: sample.interval, source: null }];
  });
  const theirs = publishedOf(context, id).filter((each) => each.metric === metric);
  return [
    ...ours,
    ...theirs.map(({ contender, value, source }) => {
      return { name: contender, value, interval: null, source };
    }),
  ];
}

interface Layout {
  readonly left: number;
  readonly width: number;
  readonly x: (value: number) => number;
  readonly show: (row: Row) => string;
}

function drawRow(context: Context, row: Row, y: number, { left, width, x, show }: Layout) {
  const { name, value, interval, source } = row;
  const { slot, path } = lookOf(context, name);
  const middle = y + rowHeight / 2;
  const whisker =
    interval === null || interval.low <= 0
      ? null
      : line(x(interval.low), middle, x(interval.high), middle, 'whisker');
  const told = source === null ? 'measured here' : `published: ${source}`;
  const press = source === null ? { role: 'button', [hides]: name } : { role: 'img' };
  const group = svg(
    'g',
    {
      'class': source === null ? 'row' : 'row undecided',
      'style': `--own: var(--c${slot})`,
      'tabindex': 0,
      'aria-label': `${name}: ${show(row)}, ${told}`,
      ...press,
    },
    svg('rect', { x: 0, y: y + 1, width, height: rowHeight - 2, rx: 5, class: 'hit' }),
    words(shortened(name, left - 14), 4, middle + 4.5, source === null ? 'label' : 'label quiet'),
    whisker,
    mark(path, x(value), middle, 12, 'own'),
    words(show(row), width - 4, middle + 4.5, 'value', 'end'),
  );
  tip(group, () => tipBody(name, [[show(row), told]]));
  return group;
}

/** Values of a case on a logarithmic scale: ours are full signs, published ones are hollow. */
export function drawPublished(
  context: Context,
  id: string,
  key: string,
  width: number,
): Drawing & { readonly title: string } {
  const rows = rowsOf(context, id, key);
  const unitName = publishedOf(context, id).find(({ metric }) => metric === key)?.unit ?? '';
  const unit = unitFor(unitName, Math.max(0, ...rows.map(({ value }) => value)));
  const show = ({ value, interval }: Row): string => quantity(value, unitName, interval);
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((t) => textWidth(t)));
  const left = Math.min(widest(rows.map(({ name }) => name)), width * 0.42) + 20;
  const right = width - widest(rows.map(show)) - 20;
  const axis = makeAxis(
    rows.map(({ value }) => value / unit.size),
    'log',
    { count: Math.max(Math.floor((right - left) / 70), 2) },
  );
  const scale = scaler(axis, left, right);
  const layout = { left, width, show, x: (value: number) => scale(value / unit.size) };
  const bottom = top + rowHeight * rows.length;
  const title = `${metricFor(key).title}${unit.name === '' ? '' : ` (${unit.name})`}`;
  return {
    title,
    height: bottom + 24,
    summary: `${title}: ${rows.map((row) => `${row.name} ${show(row)}`).join('; ')}.`,
    children: [
      ...gridOf(axis, { left, right, foot: null }, bottom),
      ...rows.map((row, i) => drawRow(context, row, top + i * rowHeight, layout)),
    ],
  };
}

/** The same over the parameter of a family; null if too few of its cases have published figures. */
export function publishedLines(
  context: Context,
  cases: readonly Case[],
  of: Case,
  key: string,
): Lines | null {
  const inMetric = (id: string): Published[] =>
    publishedOf(context, id).filter(({ metric }) => metric === key);
  const family = familiesOf(cases, of).find(
    (each) => each.cases.filter(({ id }) => inMetric(id).length > 0).length > 2,
  );
  if (family === undefined) return null;
  const metric = metricFor(key);
  const at = positions(
    family.cases.map(({ value }) => value),
    context.view.scale,
  );
  const places = family.cases.map(({ value, id }, i) => {
    return { at: at[i] ?? 0, label: value.toLocaleString('en-US'), caseId: id, metric };
  });
  const absolute: Context = { ...context, view: { ...context.view, mode: 'absolute' } };
  const ours = linesOver(absolute, places, `${metric.title} by ${family.key}`);
  const all = places.flatMap((place) =>
    inMetric(place.caseId).map((figure) => ({ place, figure })),
  );
  const names = [...new Set(all.map(({ figure }) => figure.contender))];
  const theirs = names.map((name) => ({
    name,
    isPublished: true,
    points: all.flatMap(({ place, figure }) => {
      if (figure.contender !== name) return [];
      const mid = figure.value / ours.unitSize;
      const text = quantity(figure.value, figure.unit, null);
      return [{ at: place.at, label: place.label, text, low: mid, mid, high: mid }];
    }),
  }));
  return { ...ours, lines: [...ours.lines, ...theirs] };
}
