// Histograms of sizes and of lifetimes, by powers of two.
import { h, svg, type Child } from '../dom';
import { Figure, line, textWidth, words, type Drawing } from '../figure';
import { digits, percent, unitFor } from '../format';
import { tip, tipBody } from '../tooltip';
import { histogram } from './select';
import { count, sceneOf, type Scene } from './scene';
import type { Store } from '../state';
import type { Traces } from './data';

type Key = 'sizes' | 'lifetimes';

const titles: Readonly<Record<Key, string>> = {
  sizes: 'Sizes of the blocks that were allocated',
  lifetimes: 'Lifetimes of the blocks that were freed',
};

/** The lowest value that an entry counts. */
function low(power: number): number {
  return power === 0 ? 0 : 2 ** (power - 1);
}

function show(key: Key, value: number): string {
  if (value === 0) return key === 'sizes' ? '0 B' : '0 ns';
  const { name, size } = key === 'sizes' ? unitFor('bytes', value) : unitFor('s', value / 1e9);
  const shown = value / (key === 'sizes' ? size : size * 1e9);
  return `${digits(shown, Number.isInteger(shown) ? 1 : 2)}\u00a0${name}`;
}

interface Box {
  readonly from: number;
  readonly step: number;
  readonly bottom: number;
  readonly top: number;
}

function bar(key: Key, power: number, n: number, all: number, most: number, box: Box): Child {
  const x = box.from;
  const height = n === 0 ? 0 : Math.max(((box.bottom - box.top) * n) / most, 1.5);
  const gap = Math.min(box.step * 0.18, 4);
  const group = svg(
    'g',
    { class: 'bin', tabindex: n > 0 ? 0 : null },
    svg('rect', { x, y: box.top, width: box.step, height: box.bottom - box.top, class: 'hit' }),
    svg('rect', {
      x: x + gap / 2,
      y: box.bottom - height,
      width: Math.max(box.step - gap, 1),
      height,
      rx: 2,
      class: 'bar',
    }),
  );
  const range = power === 0 ? show(key, 0) : `${show(key, low(power))} to ${show(key, 2 ** power)}`;
  tip(group, () =>
    tipBody(range, [
      ['blocks', count(n)],
      ['share', percent(n / Math.max(all, 1))],
    ]),
  );
  return group;
}

function draw(scene: Scene, key: Key, width: number): Drawing {
  const counts = histogram(scene.trace, key, scene.span);
  const all = counts.reduce((a, b) => a + b, 0);
  const most = Math.max(...counts, 1);
  // The scale stays the same for each part of the time.
  const whole = histogram(scene.trace, key, [0, scene.trace.bins.length]);
  const first = Math.max(
    whole.findIndex((n) => n > 0),
    0,
  );
  const last = Math.max(whole.length - 1, first);
  const [top, bottom] = [22, 190];
  const step = Math.min(width / (last - first + 1), 56);
  const children: Child[] = [line(0, bottom, step * (last - first + 1), bottom, 'foot')];
  let free = -Infinity;
  for (let power = first; power <= last; power += 1) {
    const from = (power - first) * step;
    const n = counts[power] ?? 0;
    children.push(bar(key, power, n, all, most, { from, step, bottom, top }));
    if (n === most && n > 0) {
      const label = percent(n / Math.max(all, 1));
      const half = textWidth(label) / 2;
      const at = Math.min(Math.max(from + step / 2, half), width - half);
      children.push(words(label, at, top - 6, 'value', 'middle'));
    }
    // Each label stands at the lower edge of its bar, where there is room.
    const label = show(key, low(power));
    if (from < free || from + textWidth(label) > width) continue;
    children.push(
      line(from, bottom, from, bottom + 4, 'foot'),
      words(label, from, bottom + 18, 'tick'),
    );
    free = from + textWidth(label) + 12;
  }
  const summary = `${titles[key]}: ${count(all)} blocks in ${counts.filter((n) => n > 0).length} powers of two.`;
  return { summary, children, height: bottom + 24 };
}

export function histogramFigure(store: Store, traces: Traces, key: Key): HTMLElement {
  const figure = new Figure((width) => {
    const scene = sceneOf(traces, store.view);
    return scene === null ? { summary: '', children: [], height: 0 } : draw(scene, key, width);
  });
  store.watch(() => {
    figure.redraw();
  });
  return h('figure', {}, h('figcaption', {}, titles[key]), figure.element);
}
