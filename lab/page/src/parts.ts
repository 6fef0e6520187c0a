// Where the memory was at the peak of a replay: a bar for each contender, cut into parts that add up.
import { makeAxis } from './axis';
import { isShown, lookOf, nameButton, type Context } from './context';
import { h, scrollable, svg, tableOf } from './dom';
import { line, plotted, scaler, shortened, textWidth, words, type Drawing } from './figure';
import { digits, quantity, unitFor } from './format';
import { hides } from './hiding';
import { metricFor, partsOfPeak } from './metrics';
import { tip, tipBody } from './tooltip';
import type { Case } from './places';

const rowHeight = 30;
const thick = 16;
const top = 4;

interface Bar {
  readonly name: string;
  readonly parts: readonly { readonly key: string; readonly bytes: number }[];
  readonly whole: number;
}

/** The contenders of a case whose memory at the peak is known. */
function barsOf(context: Context, caseId: string): Bar[] {
  const { table } = context;
  return table.contenders.filter(isShown(context)).flatMap((name): Bar[] => {
    const parts = partsOfPeak.flatMap(({ key }) => {
      const sample = table.sample(caseId, key, name);
      return sample === null ? [] : [{ key, bytes: sample.median }];
    });
    const whole = parts.reduce((sum, part) => sum + part.bytes, 0);
    return whole > 0 ? [{ name, parts, whole }] : [];
  });
}

export function hasParts({ table }: Context, caseId: string): boolean {
  return partsOfPeak.some(({ key }) => table.present(caseId, key).length > 0);
}

function own(key: string): string {
  return `--own: var(--c${partsOfPeak.find((part) => part.key === key)?.colour ?? 0})`;
}

export function partsKey(): HTMLElement {
  const entries = partsOfPeak.map(({ key, colour }) => {
    const style = `background: var(--c${colour})`;
    return h('span', {}, h('span', { class: 'swatch', style }), metricFor(key).title);
  });
  return h('p', { class: 'key' }, ...entries);
}

function show(bytes: number): string {
  return quantity(bytes, 'bytes', null);
}

/** A bar of the chart; `x` maps bytes to pixels. */
function rowOf(context: Context, bar: Bar, y: number, width: number, x: (bytes: number) => number) {
  const { name, parts, whole } = bar;
  const lines = parts.map(({ key, bytes }): [string, string] => [
    metricFor(key).title,
    show(bytes),
  ]);
  let from = 0;
  const pieces = parts.map(({ key, bytes }) => {
    const begin = x(from);
    from += bytes;
    const length = Math.max(x(from) - begin, 0);
    const box = { x: begin, y: y + (rowHeight - thick) / 2, width: length, height: thick };
    return svg('rect', { ...box, class: 'part', style: own(key) });
  });
  const told = lines.map((each) => each.join(' ')).join(', ');
  const middle = y + rowHeight / 2 + 4.5;
  const group = svg(
    'g',
    {
      'class': 'row',
      'style': `--own: var(--c${lookOf(context, name).slot})`,
      'tabindex': 0,
      'role': 'button',
      'aria-label': `${name}: ${show(whole)}: ${told}. Press to hide.`,
      [hides]: name,
    },
    svg('rect', { x: 0, y: y + 1, width, height: rowHeight - 2, rx: 5, class: 'hit' }),
    words(shortened(name, x(0) - 14), 4, middle, 'label'),
    ...pieces,
    words(show(whole), width - 4, middle, 'value', 'end'),
  );
  tip(group, () => tipBody(name, lines));
  return group;
}

export function drawParts(
  context: Context,
  caseId: string,
  width: number,
): Drawing & { readonly title: string } {
  const bars = barsOf(context, caseId);
  const largest = Math.max(0, ...bars.map(({ whole }) => whole));
  const unit = unitFor('bytes', largest);
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((t) => textWidth(t)));
  const left = Math.min(widest(bars.map(({ name }) => name)), width * 0.3) + 20;
  const right = width - widest(bars.map(({ whole }) => show(whole))) - 20;
  const count = Math.max(Math.floor((right - left) / 70), 2);
  const axis = makeAxis([0, largest / unit.size], 'linear', { origin: 0, count });
  const [scaled, at] = [scaler(axis, left, right), plotted(axis, left, right)];
  const x = (bytes: number) => scaled(bytes / unit.size);
  const bottom = top + rowHeight * bars.length;
  const each = bars.map(({ name, whole }) => `${name} ${show(whole)}`).join('; ');
  return {
    height: bottom + 24,
    summary: `Memory at the peak, in ${unit.name}: ${each}.`,
    title: `Memory at the peak (${unit.name})`,
    children: [
      ...axis.ticks.flatMap((tick) => [
        line(at(tick.at), top, at(tick.at), bottom, 'grid'),
        words(tick.label, at(tick.at), bottom + 16, 'tick', 'middle'),
      ]),
      ...bars.map((bar, i) => rowOf(context, bar, top + i * rowHeight, width, x)),
    ],
  };
}

/** The same as numbers, with the memory for each byte that was asked for: the fragmentation. */
export function partsTable(context: Context, row: Case): HTMLElement {
  const bars = barsOf(context, row.id);
  const shown = partsOfPeak.filter(({ key }) =>
    bars.some((bar) => bar.parts.some((p) => p.key === key)),
  );
  const number = (text: string) => h('td', { class: 'number' }, text);
  const rows = bars.map(({ name, parts, whole }) => {
    const asked = parts[0]?.bytes ?? 0;
    const cells = shown.map(({ key }) => {
      const part = parts.find((it) => it.key === key);
      return part === undefined ? number('–') : number(show(part.bytes));
    });
    const each = asked > 0 ? digits(whole / asked) : '–';
    const head = h('th', { scope: 'row' }, nameButton(context, name));
    return h('tr', {}, head, number(show(whole)), number(each), ...cells);
  });
  const parts = shown.map(({ key }) => metricFor(key).title);
  const titles = ['In all', 'Per byte asked for', ...parts];
  const heads = titles.map((title) => h('th', { scope: 'col', class: 'number' }, title));
  const all = [h('th', { scope: 'col' }, 'Contender'), ...heads];
  return scrollable('Memory at the peak', tableOf('heat numbers', all, rows));
}
