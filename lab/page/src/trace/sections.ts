// The sections of recorded traces. Each fills its place in the template and follows the view.
import { choice, picker } from '../controls';
import { byId, h } from '../dom';
import { unbroken } from '../format';
import { open } from '../sections';
import { changesView } from './changes';
import { traceFacts } from './facts';
import { flameGraph } from './flame';
import { histogramFigure } from './histograms';
import { follow, spanText } from './scene';
import { siteTable } from './table';
import { threadTable } from './threads';
import { timeline } from './timeline';
import type { Store } from '../state';
import type { Changes, Traces } from './data';

function note(text: string): HTMLElement {
  return h('p', { class: 'quiet' }, text);
}

/** The sentences at the top. Without results they are the answer of the page. */
function showSummary(store: Store, traces: Traces, isAlone: boolean): void {
  const section = byId('summary');
  section.hidden = false;
  follow(store, traces, ({ trace }) => {
    const title = isAlone ? h('h1', { id: 'summary-title' }) : h('h2', { id: 'summary-title' });
    title.textContent = unbroken(trace.headline);
    section.replaceChildren(
      title,
      h('p', { class: 'lead' }, unbroken(trace.summary.join(' '))),
      h('p', { class: 'quiet' }, 'Recorded: ', h('code', {}, trace.command || trace.name)),
    );
  });
}

/** The bar of choices that all sections below follow. */
function showSteering(store: Store, traces: Traces): void {
  const bar = byId('steering');
  bar.hidden = false;
  const names = traces.traces.map(({ name }) => [name, name] as const);
  const text = h('span', { class: 'span-text' });
  const reset = h('button', { type: 'button', class: 'chip plain' }, 'Show all of the time');
  reset.addEventListener('click', () => {
    store.set({ span: null });
  });
  document.addEventListener('keydown', ({ key, target }) => {
    const isBusy = target instanceof Element && target.closest('input, select, .flame') !== null;
    if (key === 'Escape' && !isBusy && store.view.span !== null) store.set({ span: null });
  });
  follow(store, traces, (scene) => {
    const chosen = spanText(scene);
    text.textContent = chosen ?? 'All of the time';
    text.classList.toggle('is-part', chosen !== null);
    reset.hidden = chosen === null;
  });
  const code = choice(store, 'code', 'Code', [
    ['all', 'All'],
    ['own', 'Only mine'],
  ]);
  bar.append(
    h('div', { 'class': 'steer', 'aria-live': 'polite' }, text, reset),
    h(
      'div',
      { class: 'steer' },
      names.length > 1 ? picker(store, 'trace', 'Trace', names) : null,
      code,
    ),
  );
}

function searchBox(store: Store): HTMLElement {
  const input = h('input', { type: 'search', placeholder: 'function, file or library' });
  input.addEventListener('input', () => {
    store.set({ find: input.value });
  });
  store.watch(({ find }) => {
    if (input.value !== find) input.value = find;
  });
  return h('label', { class: 'picker search' }, h('span', {}, 'Find'), input);
}

function showSites(store: Store, traces: Traces): void {
  const shape = choice(store, 'sites', 'Show', [
    ['table', 'Table'],
    ['flame', 'Flame graph'],
  ]);
  const start = choice(store, 'flame', 'Top row', [
    ['callers', 'Start'],
    ['calls', 'Calls'],
  ]);
  const by = picker(store, 'by', 'By', [
    ['bytes', 'Bytes'],
    ['calls', 'Calls'],
    ['peak', 'At the peak'],
    ['left', 'Never freed'],
    ['lifetime', 'Mean lifetime'],
  ]);
  const text = note('');
  const switches = h('div', { class: 'switches' }, searchBox(store), by, start, shape);
  const box = open('sites', 'Sites', h('div', { class: 'tools' }, text, switches));
  const [table, flame] = [siteTable(store, traces), flameGraph(store, traces)];
  box.append(table, flame);
  follow(store, traces, (scene) => {
    const { view } = scene;
    table.hidden = view.sites === 'flame';
    flame.hidden = view.sites === 'table';
    start.hidden = view.sites === 'table';
    const chosen = spanText(scene);
    const when =
      chosen === null ? '' : ` Only ${chosen}: “at the peak” is the highest moment in it.`;
    text.textContent = `A site is a place in the code that calls the allocator.${when}`;
  });
  // A hidden chart has no width, so it is drawn when it appears.
  store.watch(({ sites }) => {
    if (sites === 'flame') queueMicrotask(() => window.dispatchEvent(new Event('resize')));
  });
}

/** The headline of a comparison is the answer of a page without results. */
function showChanges(store: Store, traces: Traces, changes: Changes, isAlone: boolean): void {
  const [old, now] = traces.traces.map((t) => t.name);
  const text = note(
    `From ${old ?? ''} to ${now ?? ''}. Sites of equal names are one, whatever their line: lines ` +
      'move from one version of a program to the next. Blue is less, orange is more.',
  );
  const box = open('changes', 'What changed', text);
  box.append(...changesView(store, traces));
  const headline = unbroken(changes.headline);
  if (isAlone) byId('changes').prepend(h('h1', {}, headline));
  else text.before(h('p', { class: 'lead' }, headline));
}

export function showTraces(store: Store, traces: Traces, isAlone: boolean): void {
  const { changes } = traces;
  const headline = changes?.headline ?? traces.traces[0]?.headline ?? '';
  if (isAlone) document.title = `${headline} – ${document.title}`;
  if (changes !== null) showChanges(store, traces, changes, isAlone);
  showSummary(store, traces, isAlone && changes === null);
  showSteering(store, traces);
  const text = note(
    'The line is the most in use in each step of time. The colours are what each site had in use at ' +
      'the end of a bin; pale grey above them came and went within the bin. Drag to choose a part of ' +
      'the time: the sites, sizes and lifetimes follow.',
  );
  open('live', 'Memory in use over time', text).append(timeline(store, traces));
  showSites(store, traces);
  const panels = h('div', { class: 'panels' });
  panels.append(
    histogramFigure(store, traces, 'sizes'),
    histogramFigure(store, traces, 'lifetimes'),
  );
  const shapes = note('Each bar counts blocks from its label up to twice as much.');
  open('shapes', 'Sizes and lifetimes', shapes).append(panels);
  if (traces.traces.some((t) => t.info.threads > 1)) {
    open('threads', 'Threads').append(threadTable(store, traces));
  }
  open('recording', 'Recording').append(traceFacts(store, traces));
  byId('trace-method').hidden = false;
}
