// Starts the page: reads the embedded results, fills the sections, and redraws on every choice.
import { answer } from './answer';
import { looks } from './theme';
import { choice, controls } from './controls';
import { byId, h } from './dom';
import { failureList } from './failures';
import { watchPresses } from './hiding';
import { instructionsSuite } from './instructions';
import { available, inOrder, memoryMetrics, timeMetrics } from './metrics';
import { parseResults } from './parse';
import { provenance } from './provenance';
import { rawData } from './raw';
import { formatHash, parseHash, Store, type View } from './state';
import { applyTheme, onSystemTheme } from './theme';
import { defaultBaseline, Table } from './table';
import { watchTips } from './tooltip';
import {
  open,
  showBars,
  showCurves,
  showHeatmap,
  showInstructions,
  showProof,
  showScatter,
  type Page,
} from './sections';
import type { Context } from './context';
import type { Results } from './data';
import type { Case } from './places';

function showAnswer({ store, context }: Page): void {
  const { verdict } = context().table.results;
  if (verdict === null) return;
  const section = byId('verdict');
  section.hidden = false;
  section.classList.add(`is-${verdict.kind.replace('_', '-')}`);
  const title = document.title;
  document.title = `${verdict.headline} – ${title}`;
  const box = h('div');
  section.replaceChildren(box);
  store.watch(() => {
    box.replaceChildren(...answer(context(), verdict));
  });
}

function showContents(): void {
  const nav = byId('contents');
  for (const section of document.querySelectorAll('section:not([id="verdict"])')) {
    const title = section.querySelector('h2')?.textContent ?? '';
    if (section.id === '' || title === '') continue;
    const link = h('a', { href: `#${section.id}` }, section.getAttribute('data-nav') ?? title);
    link.addEventListener('click', (event) => {
      // The hash holds the view, so the page scrolls itself.
      event.preventDefault();
      section.setAttribute('tabindex', '-1');
      if (section instanceof HTMLElement) section.focus({ preventScroll: true });
      section.scrollIntoView();
    });
    nav.append(link);
  }
}

function makeStore(table: Table, cases: readonly Case[]): Store {
  const metrics = inOrder([...new Set(cases.flatMap((c) => table.metrics(c.id)))]);
  const usual: View = {
    baseline: defaultBaseline(table),
    case: cases[0]?.id ?? '',
    hidden: [],
    scale: 'log',
    mode: 'relative',
    time: available('', timeMetrics, metrics) ?? '',
    memory: available('', memoryMetrics, metrics) ?? '',
    heat: metrics[0] ?? '',
    range: null,
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
  showAnswer(page);
  if (results.failures.length > 0) open('failures', 'Failures').append(...failureList(results));
  const bar = byId('controls');
  bar.hidden = false;
  bar.append(...controls(store, table, signs, cases));
  if (cases.length > 1) showHeatmap(page);
  if (cases.length > 0) {
    showScatter(page);
    showBars(page);
  }
  if (table.cases.some((c) => table.curves(c.id).length > 0)) showCurves(page);
  if (counted.length > 0) showInstructions(page, counted);
  if (results.proof.length > 0) showProof(page);
  open('provenance', 'Provenance').append(...provenance(results));
  open('raw', 'Raw data').append(...rawData(results, json));
  showContents();
  watchTips();
  watchPresses(store);
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
