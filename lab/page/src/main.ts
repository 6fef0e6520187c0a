// Starts the page: reads the embedded results and traces, fills the sections, and redraws on every choice.
import { codeAdviceList } from './advice';
import { answer } from './answer';
import { looks } from './theme';
import { choice, controls } from './controls';
import { showFamilies, showLatency } from './courses';
import { byId, h } from './dom';
import { showPublished } from './elsewhere';
import { failureList } from './failures';
import { watchPresses } from './hiding';
import { instructionsSuite } from './instructions';
import { available, inOrder, isOfReplays, memoryMetrics, timeMetrics } from './metrics';
import { parseResults } from './parse';
import { provenance } from './provenance';
import { rawData } from './raw';
import { showForetold, showParts } from './replays';
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
import type { Results } from './data';
import { parseTraces } from './trace/parse';
import { showTraces } from './trace/sections';
import type { Traces } from './trace/data';
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
  for (const section of document.querySelectorAll('section:not([id="verdict"], [hidden])')) {
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

function makeStore(table: Table | null, cases: readonly Case[], traces: Traces | null): Store {
  const known = new Set(cases.flatMap((c) => table?.metrics(c.id) ?? []));
  const metrics = inOrder([...known].filter((key) => !isOfReplays(key)));
  const names = traces?.traces.map(({ name }) => name) ?? [];
  const usual: View = {
    baseline: table === null ? '' : defaultBaseline(table),
    case: cases[0]?.id ?? '',
    hidden: [],
    scale: 'log',
    mode: 'relative',
    time: available('', timeMetrics, metrics) ?? '',
    memory: available('', memoryMetrics, metrics) ?? '',
    heat: metrics[0] ?? '',
    range: null,
    // Of two versions of a program the newer one matters.
    trace: names[names.length - 1] ?? '',
    span: null,
    by: 'bytes',
    sites: 'table',
    flame: 'callers',
    code: 'all',
    find: '',
    theme: 'auto',
  };
  const baselines = table?.contenders ?? [];
  const choices = { baselines, cases: cases.map((c) => c.id), metrics, traces: names };
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

function showResults(page: Page, json: string): void {
  const { store, context, cases } = page;
  const { table, looks: signs } = context();
  const { results } = table;
  const counted = table.cases.filter((c) => c.suite === instructionsSuite);
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
  showLatency(page);
  showFamilies(page);
  showPublished(page);
  showParts(page);
  showForetold(page);
  if (counted.length > 0) showInstructions(page, counted);
  if (results.advice.length > 0) {
    open('advice', 'Advice for the code').append(...codeAdviceList(results.advice));
  }
  if (results.proof.length > 0) showProof(page);
  open('provenance', 'Provenance').append(...provenance(results));
  open('raw', 'Raw data').append(...rawData(results, json));
  watchPresses(store);
}

function show(results: Results | null, json: string, traces: Traces | null): void {
  const table = results === null ? null : new Table(results);
  const cases = table?.cases.filter((c) => c.suite !== instructionsSuite) ?? [];
  const store = makeStore(table, cases, traces);
  const theme = choice(store, 'theme', 'Colours', [
    ['auto', 'Auto'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ]);
  byId('theme').append(theme);
  if (table !== null) {
    const published = table.results.published.map(({ contender }) => contender);
    const signs = looks([...new Set([...table.contenders, ...published])]);
    showResults({ store, context: () => ({ table, view: store.view, looks: signs }), cases }, json);
  }
  if (traces !== null) showTraces(store, traces, table === null);
  byId('method').hidden = table === null;
  showContents();
  watchTips();
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
    const traces = parseTraces(byId('heapsmith-traces').textContent);
    if (results !== null || traces !== null) show(results, json, traces);
    else notice('This is an empty template. The heapsmith command fills it with results.');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notice(`The results in this file cannot be shown. ${reason}`);
  }
}

start();
