// Starts the page: reads the embedded results and fills the sections.
import { parseResults, type Results } from './data';
import { byId, h } from './dom';
import { provenance } from './provenance';
import { rawData } from './raw';

function section(id: string, title: string, children: readonly HTMLElement[]): void {
  const element = byId(id);
  element.hidden = false;
  element.replaceChildren(h('h2', { id: `${id}-title` }, title), ...children);
}

function notice(text: string): void {
  byId('main').prepend(h('p', { class: 'notice', role: 'alert' }, text));
}

function show(results: Results, json: string): void {
  section('provenance', 'Provenance', provenance(results));
  section('raw', 'Raw data', rawData(results, json));
}

function start(): void {
  const json = byId('heapsmith-data').textContent;
  try {
    const results = parseResults(json);
    if (results === null) {
      notice('This is the empty template: the heapsmith command fills it with results.');
    } else {
      show(results, json);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notice(`The results in this file cannot be shown. ${reason}`);
  }
}

start();
