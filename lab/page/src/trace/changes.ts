// Two traces compared: both curves in one chart, and the sites that changed.
import { h, scrollable, tableOf, type Child } from '../dom';
import { Figure, type Drawing } from '../figure';
import { changeName } from './changes-name';
import { stepsOf } from './live';
import { axesOf, frameOf, path, through } from './plot';
import { bytes, count, time } from './scene';
import { changed, type Changed, type Changes, type Trace, type Traces } from './data';
import type { Store } from '../state';

const titles = { calls: 'Calls', bytes: 'Bytes', peak: 'At the peak', left: 'Never freed' };
const shownFirst = 20;
const colours = ['--c0', '--c3'];

function drawBoth(traces: readonly Trace[], width: number): Drawing {
  const end = Math.max(...traces.map((t) => t.info.duration));
  const frame = frameOf(width, end, Math.max(1, ...traces.map((t) => t.info.peakBytes)));
  const lines: Child[] = traces.map(({ curve, info }, i) => {
    const points = stepsOf(frame, curve.step, curve.most, info.duration);
    return path(through(points), {
      class: 'most of-two',
      style: `--own: var(${colours[i] ?? '--c0'})`,
    });
  });
  const said = traces.map(
    (t) => `${t.name} at most ${bytes(t.info.peakBytes)} in ${time(t.info.duration)}`,
  );
  return {
    summary: `Line chart of the bytes in use of both traces: ${said.join('; ')}.`,
    children: [...axesOf(frame), ...lines],
    height: frame.bottom + 30,
  };
}

function show(key: keyof Changed, n: number): string {
  return key === 'calls' ? count(n) : bytes(n);
}

function cell(key: keyof Changed, { old, new: now }: Changed['calls'], whole: number): HTMLElement {
  if (old === 0 && now === 0) return h('td', { class: 'number' }, '–');
  const growth = now - old;
  const share = whole > 0 ? Math.min(Math.abs(growth) / whole, 1) : 0;
  const kind = growth > 0 ? ' is-worse' : growth < 0 ? ' is-better' : '';
  const strength = Math.round(12 + 50 * Math.sqrt(share));
  const sign = growth > 0 ? '+' : '−';
  const text =
    growth === 0
      ? 'the same'
      : old === 0
        ? 'new'
        : now === 0
          ? 'gone'
          : `${sign}${show(key, Math.abs(growth))}`;
  return h(
    'td',
    { class: `number${kind}`, style: `--strength: ${strength}%` },
    text,
    h('small', {}, growth === 0 ? show(key, now) : `${show(key, old)} → ${show(key, now)}`),
  );
}

function rowOf(name: string, numbers: Changed, whole: Changed): HTMLElement {
  const cells = changed.map((key) =>
    cell(key, numbers[key], Math.max(whole[key].old, whole[key].new)),
  );
  const short = changeName(name);
  const title = h('th', { scope: 'row' }, h('span', { title: name }, short.name));
  if (short.note !== '') title.append(h('small', {}, short.note));
  return h('tr', {}, title, ...cells);
}

function changesTable({ whole, sites, leftOut }: Changes): HTMLElement {
  let all = false;
  const box = h('div');
  const more = h('button', { type: 'button', class: 'button' });
  const draw = (): void => {
    const visible = all ? sites : sites.slice(0, shownFirst);
    const rows = visible.map(({ name, numbers }) => rowOf(name, numbers, whole));
    const first = rowOf('The whole program', whole, whole);
    first.classList.add('whole');
    const heads = changed.map((key) => h('th', { class: 'number', scope: 'col' }, titles[key]));
    const table = tableOf(
      'heat changes',
      [h('th', { scope: 'col' }, 'Site'), ...heads],
      [first, ...rows],
    );
    box.replaceChildren(scrollable('Sites that changed', table));
    more.hidden = sites.length <= shownFirst;
    more.textContent = all
      ? `Show the first ${shownFirst}`
      : `Show all ${sites.length} sites that changed`;
  };
  more.addEventListener('click', () => {
    all = !all;
    draw();
  });
  draw();
  const note =
    leftOut > 0 ? h('p', { class: 'quiet' }, `${leftOut} smaller changes are left out.`) : null;
  return h('div', {}, box, more, note);
}

export function changesView(store: Store, { traces, changes }: Traces): Node[] {
  if (changes === null) return [];
  const figure = new Figure((width) => drawBoth(traces, width));
  store.watch(() => {
    figure.redraw();
  });
  const keys = traces.map(({ name }, i) =>
    h(
      'span',
      {},
      h('span', { class: 'swatch', style: `background: var(${colours[i] ?? '--c0'})` }),
      name,
    ),
  );
  return [
    h('figure', { class: 'live' }, h('p', { class: 'key' }, ...keys), figure.element),
    changesTable(changes),
  ];
}
