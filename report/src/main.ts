// Starts the page: reads the embedded results, fills the sections, and redraws on every choice.
import { answer } from './answer';
import { barsHeight, drawBars } from './bars';
import { Chart } from './chart';
import { defaultBaseline, Table, type Case } from './compare';
import { currentCase, type Context } from './context';
import { choice, controls } from './controls';
import { parseResults, type Results } from './data';
import { byId, h } from './dom';
import { failureList } from './failures';
import { heatKey, heatTable } from './heatmap';
import { instructionsSuite, instructionsTable } from './instructions';
import { cpu, metricFor, panels, wall, type Metric } from './metrics';
import { numbersTable } from './numbers';
import { provenance } from './provenance';
import { rawData } from './raw';
import { drawScatter } from './scatter';
import { formatHash, parseHash, Store, type View } from './state';
import { applyTheme, looks, onSystemTheme } from './theme';

/** Shows a section of the template under its title and returns the box for its content. */
function open(id: string, title: string, ...children: Node[]): HTMLElement {
  const element = byId(id);
  element.hidden = false;
  const box = h('div', { class: 'content' });
  element.replaceChildren(h('h2', { id: `${id}-title` }, title), ...children, box);
  return box;
}

function note(text: string): HTMLElement {
  return h('p', { class: 'quiet' }, text);
}

interface Page {
  readonly store: Store;
  readonly context: () => Context;
  readonly cases: readonly Case[];
}

function showAnswer({ store, context, cases }: Page): void {
  const box = open('verdict', 'The answer');
  store.watch(() => {
    box.replaceChildren(...answer(context(), cases));
  });
}

function showScatter({ store, context }: Page): void {
  const time = choice(store, 'time', 'Time', [
    [wall.key, 'Wall'],
    [cpu.key, 'CPU'],
  ]);
  const text =
    'Points are medians, with their 95 % intervals; lower and further left is better. The line is the ' +
    'Pareto front: for each contender in the shaded area, a point on the front is better in both. The ' +
    'dotted cross marks the baseline. Axes may not start at zero.';
  const box = open('scatter', 'Time and memory', h('div', { class: 'tools' }, note(text), time));
  const draw = (): void => {
    const chosen = currentCase(context());
    if (chosen !== null) upright.textContent = drawScatter(chart, context(), chosen.id);
  };
  const chart = new Chart('wide', draw);
  const upright = h('span');
  box.append(h('figure', {}, h('figcaption', {}, '↑ ', upright), chart.element));
  store.watch(draw);
}

function barFigure({ store, context }: Page, metric: Metric): HTMLElement {
  const draw = (): void => {
    const now = context();
    const chosen = currentCase(now);
    if (chosen === null) return;
    figure.hidden = now.table.present(chosen.id, metric.key).length === 0;
    if (figure.hidden) return;
    chart.element.style.height = `${barsHeight(now, chosen.id, metric)}px`;
    title.textContent = drawBars(chart, now, chosen.id, metric);
  };
  const chart = new Chart('panel', draw);
  const title = h('figcaption');
  const figure = h('figure', {}, title, chart.element);
  store.watch(draw);
  return figure;
}

function showBars(page: Page): void {
  const { store, context } = page;
  const text =
    'Whiskers are 95 % intervals. A pale bar does not differ measurably from the baseline. On a log ' +
    'scale absolute values are dots, since the scale has no zero where a bar could start.';
  const box = open('bars', 'Metric by metric', note(text));
  const figures = panels.map((metric) => barFigure(page, metric));
  const numbers = h('div');
  box.append(h('div', { class: 'panels' }, ...figures), numbers);
  store.watch(() => {
    const chosen = currentCase(context());
    if (chosen !== null) numbers.replaceChildren(numbersTable(context(), chosen));
  });
}

function showHeatmap({ store, context, cases }: Page): void {
  const table = context().table;
  const keys = [...new Set(cases.flatMap((c) => table.metrics(c.id)))];
  const options = keys.map((key) => [key, metricFor(key).title] as const);
  const pick = choice(store, 'heat', 'Metric', options);
  const box = open('heatmap', 'Every workload', h('div', { class: 'tools' }, heatKey(), pick));
  store.watch((view) => {
    box.replaceChildren(heatTable(context(), cases, metricFor(view.heat)));
  });
}

function showInstructions({ store, context }: Page, cases: readonly Case[]): void {
  const text =
    'Instructions inside the library on warm paths, counted by callgrind. The counts repeat exactly. ' +
    'The lowest count of a row is bold.';
  const box = open('instructions', 'Instruction counts', note(text));
  store.watch(() => {
    box.replaceChildren(instructionsTable(context(), cases));
  });
}

function showContents(): void {
  const links = [...document.querySelectorAll<HTMLElement>('main > section:not([hidden])')];
  const nav = byId('contents');
  for (const target of links) {
    const link = h(
      'a',
      { href: `#${target.id}` },
      target.dataset['nav'] ?? target.querySelector('h2')?.textContent ?? '',
    );
    // The hash stores the view, so following a link must not replace it.
    link.addEventListener('click', (event) => {
      event.preventDefault();
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
      target.scrollIntoView();
    });
    nav.append(link);
  }
}

function makeStore(table: Table, cases: readonly Case[]): Store {
  const metrics = cases.flatMap((c) => table.metrics(c.id));
  const usual: View = {
    baseline: defaultBaseline(table),
    case: cases[0]?.id ?? '',
    hidden: [],
    scale: 'log',
    mode: 'relative',
    time: 'wall_s',
    heat: metrics[0] ?? '',
    theme: 'auto',
  };
  const choices = { baselines: table.contenders, cases: cases.map((c) => c.id), metrics };
  const store = new Store(parseHash(location.hash, usual, choices));
  window.addEventListener('hashchange', () => {
    store.set(parseHash(location.hash, usual, choices));
  });
  store.watch((view) => {
    const hash = formatHash(view, usual);
    if (hash !== location.hash) history.replaceState(null, '', hash === '' ? '#' : hash);
    applyTheme(view.theme);
  });
  return store;
}

/** Redraws when the system's theme changes, and in light colours for printing. */
function followSurroundings(store: Store): void {
  onSystemTheme(() => {
    store.set({});
  });
  let before: View['theme'] | null = null;
  window.addEventListener('beforeprint', () => {
    before = store.view.theme;
    // Charts are drawn before the print layout exists, so set its width now.
    document.documentElement.classList.add('printing');
    store.set({ theme: 'light' });
  });
  window.addEventListener('afterprint', () => {
    document.documentElement.classList.remove('printing');
    if (before !== null) store.set({ theme: before });
    before = null;
  });
}

function show(results: Results, json: string): void {
  const table = new Table(results);
  const cases = table.cases.filter((c) => c.suite !== instructionsSuite);
  const counted = table.cases.filter((c) => c.suite === instructionsSuite);
  const store = makeStore(table, cases);
  const signs = looks(table.contenders);
  const context = (): Context => ({ table, view: store.view, looks: signs });
  const page = { store, context, cases };
  const theme = choice(store, 'theme', 'Colours', [
    ['auto', 'Auto'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ]);
  byId('theme').append(theme);
  const bar = byId('controls');
  bar.hidden = false;
  bar.append(...controls(store, table, signs, cases));
  if (cases.length > 0) {
    showAnswer(page);
    showScatter(page);
    showBars(page);
  }
  if (cases.length > 1) showHeatmap(page);
  if (counted.length > 0) showInstructions(page, counted);
  if (results.failures.length > 0) open('failures', 'Failures').append(...failureList(results));
  open('provenance', 'Provenance').append(...provenance(results));
  open('raw', 'Raw data').append(...rawData(results, json));
  showContents();
  followSurroundings(store);
}

function notice(text: string): void {
  byId('main').prepend(h('p', { class: 'notice', role: 'alert' }, text));
}

function start(): void {
  applyTheme('auto');
  const json = byId('heapsmith-data').textContent;
  try {
    const results = parseResults(json);
    if (results !== null) show(results, json);
    else notice('This is an empty template. The heapsmith command fills it with results.');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notice(`The results in this file cannot be shown. ${reason}`);
  }
}

start();
