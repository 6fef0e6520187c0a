// The sections of charts and tables. Each fills its place in the template and follows the view.
import { drawBars } from './bars';
import { choice } from './controls';
import { currentCase, memoryOf, timeOf, type Context } from './context';
import { CurveChart } from './curves';
import { byId, h } from './dom';
import { Figure } from './figure';
import { heatTable } from './heatmap';
import { instructionsTable } from './instructions';
import {
  inOrder,
  isOfReplays,
  isSampledMemory,
  memoryMetrics,
  metricFor,
  timeMetrics,
} from './metrics';
import { numbersTable } from './numbers';
import { proofTable } from './proof';
import { drawScatter } from './scatter';
import { tintKey } from './tint';
import type { Case } from './places';
import type { Store } from './state';

export interface Page {
  readonly store: Store;
  readonly context: () => Context;
  readonly cases: readonly Case[];
}

/** Shows a section of the template under its title and returns the box for its content. */
export function open(id: string, title: string, ...children: Node[]): HTMLElement {
  const element = byId(id);
  element.hidden = false;
  const box = h('div', { class: 'content' });
  element.replaceChildren(h('h2', { id: `${id}-title` }, title), ...children, box);
  return box;
}

function note(text: string): HTMLElement {
  return h('p', { class: 'quiet' }, text);
}

/** Every metric that some case has. */
function metricsOf({ context, cases }: Page): string[] {
  const { table } = context();
  const all = new Set(cases.flatMap((c) => table.metrics(c.id)));
  return inOrder([...all].filter((key) => !isOfReplays(key)));
}

/** A switch between those of `keys` that the results have; null if there is no choice. */
function metricChoice(page: Page, key: 'time' | 'memory', label: string, keys: readonly string[]) {
  const present = metricsOf(page).filter((m) => keys.includes(m));
  const options = present.map((m) => [m, metricFor(m).title] as const);
  return options.length < 2 ? null : choice(page.store, key, label, options);
}

export function showScatter(page: Page): void {
  const { store, context } = page;
  const tools = h('div', { class: 'tools' });
  const text =
    'Lower and further left is better. Points are medians; the thin crosses with caps are their ' +
    'intervals. The broad band is the Pareto front: for each contender in the tinted area, one on ' +
    'the front has less of both. A hollow sign means that the contender differs in neither, or that ' +
    'the rounds scatter too much to tell. Dots mark the baseline. Press a point to hide its contender.';
  tools.append(note(text));
  const switches = h('div', { class: 'switches' });
  for (const part of [
    metricChoice(page, 'time', 'Time', timeMetrics),
    metricChoice(page, 'memory', 'Memory', memoryMetrics),
  ]) {
    if (part !== null) switches.append(part);
  }
  if (switches.childElementCount > 0) tools.append(switches);
  const box = open('scatter', 'Time and memory', tools);
  const figure = new Figure((width) => {
    const now = context();
    const chosen = currentCase(now);
    const pair = chosen === null ? [] : [timeOf(now, chosen.id), memoryOf(now, chosen.id)];
    const [time, memory] = pair;
    if (chosen === null || !time || !memory) {
      return { summary: 'Nothing to draw', children: [], height: 0 };
    }
    return drawScatter(now, chosen.id, [time, memory], width);
  });
  box.append(h('figure', {}, figure.element));
  store.watch(() => {
    const now = context();
    const id = currentCase(now)?.id ?? '';
    byId('scatter').hidden = timeOf(now, id) === null || memoryOf(now, id) === null;
    figure.redraw();
  });
}

function barFigure({ store, context }: Page, key: string): HTMLElement {
  const metric = metricFor(key);
  const title = h('figcaption');
  const chart = new Figure((width) => {
    const now = context();
    const drawing = drawBars(now, currentCase(now)?.id ?? '', metric, width);
    title.textContent = drawing.title;
    return drawing;
  });
  const figure = h('figure', {}, title, chart.element);
  store.watch(() => {
    const now = context();
    figure.hidden = now.table.present(currentCase(now)?.id ?? '', key).length === 0;
    if (!figure.hidden) chart.redraw();
  });
  return figure;
}

export function showBars(page: Page): void {
  const { store, context } = page;
  const text =
    'Thin lines with caps are intervals. A hollow sign means no difference that counts, or too much ' +
    'scatter to tell. On a log scale absolute values have no bar, since the scale has no zero.';
  const box = open('bars', 'Metric by metric', note(text));
  const keys = metricsOf(page).filter((key) => !isSampledMemory(key) || key.includes('peak'));
  const numbers = h('div');
  box.append(h('div', { class: 'panels' }, ...keys.map((key) => barFigure(page, key))), numbers);
  store.watch(() => {
    const now = context();
    const chosen = currentCase(now);
    if (chosen === null) return;
    const isNumber = (key: string): boolean => !isSampledMemory(key) && !isOfReplays(key);
    const all = inOrder(now.table.metrics(chosen.id)).filter(isNumber);
    numbers.replaceChildren(numbersTable(now, chosen, all, 'All numbers'));
  });
}

export function showCurves(page: Page): void {
  const { store, context } = page;
  const text =
    'The memory of the whole process tree, with pages that processes share counted once, sampled ' +
    'in runs of its own. Drag to see a part of the time; press a line to hide its contender.';
  const reset = h('button', { type: 'button', class: 'chip plain' }, 'Show all of the time');
  reset.addEventListener('click', () => {
    store.set({ range: null });
  });
  const box = open('curves', 'Memory over time', h('div', { class: 'tools' }, note(text), reset));
  const title = h('figcaption');
  const chart = new CurveChart(store, context);
  const figure = h('figure', {}, title, chart.element);
  const numbers = h('div');
  box.append(figure, numbers);
  store.watch((view) => {
    const now = context();
    const chosen = currentCase(now);
    if (chosen === null) return;
    const keys = inOrder(now.table.metrics(chosen.id).filter(isSampledMemory));
    figure.hidden = now.table.curves(chosen.id).length === 0;
    byId('curves').hidden = figure.hidden && keys.length === 0;
    reset.hidden = view.range === null;
    title.textContent = chart.redraw();
    numbers.replaceChildren(
      ...(keys.length > 0 ? [numbersTable(now, chosen, keys, 'Memory over time')] : []),
    );
  });
}

export function showHeatmap(page: Page): void {
  const { store, context, cases } = page;
  const options = metricsOf(page).map((key) => [key, metricFor(key).title] as const);
  const pick = choice(store, 'heat', 'Metric', options);
  const box = open('heatmap', 'Every workload', h('div', { class: 'tools' }, tintKey(), pick));
  store.watch((view) => {
    box.replaceChildren(heatTable(context(), cases, metricFor(view.heat)));
  });
}

export function showInstructions({ store, context }: Page, cases: readonly Case[]): void {
  const text =
    'Instructions inside the library on warm paths, counted by callgrind. The counts repeat exactly. ' +
    'The lowest count of a row is bold.';
  const box = open('instructions', 'Instruction counts', note(text));
  store.watch(() => {
    box.replaceChildren(instructionsTable(context(), cases));
  });
}

export function showProof({ store, context }: Page): void {
  const text =
    'Each process of the program, with the library that holds its malloc, from a run that is not measured.';
  const box = open('proof', 'Processes', note(text));
  store.watch(() => {
    const now = context();
    box.replaceChildren(proofTable(now, now.table.results.proof));
  });
}
