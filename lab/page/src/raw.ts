// The raw data: every record with its rounds, and the embedded JSON as a download.
import { h, scrollable } from './dom';
import { plural, quantity, quantityInterval } from './format';
import { caseLabel } from './places';
import type { Results, Sample } from './data';

/** Built only when the reader opens it, since a suite has hundreds of records. */
function fillTable(body: HTMLTableSectionElement, samples: readonly Sample[]): void {
  if (body.childElementCount > 0) return;
  for (const s of samples) {
    const cells = [
      s.suite,
      caseLabel(s.workload, s.params),
      s.contender,
      s.metric,
      `${s.n}`,
      quantity(s.median, s.unit, s.interval),
      quantityInterval(s.interval, s.unit),
    ];
    const rounds = s.samples.map((v) => (v === null ? 'failed' : `${v}`)).join(' ');
    body.append(
      h(
        'tr',
        {},
        ...cells.map((text, i) => h('td', { class: i > 3 ? 'number' : null }, text)),
        h('td', { class: 'rounds' }, rounds),
      ),
    );
  }
}

function download(json: string): HTMLAnchorElement {
  const blob = new Blob([json], { type: 'application/json' });
  const href = URL.createObjectURL(blob);
  return h('a', { class: 'button', href, download: 'heapsmith-results.json' }, 'Download JSON');
}

export function rawData(results: Results, json: string): HTMLElement[] {
  const head = ['Suite', 'Workload', 'Contender', 'Metric', 'n', 'Median', '95 % interval'];
  const body = h('tbody');
  const table = h(
    'table',
    { class: 'raw' },
    h(
      'thead',
      {},
      h('tr', {}, ...[...head, 'Rounds, in order'].map((t) => h('th', { scope: 'col' }, t))),
    ),
    body,
  );
  const count = plural(results.samples.length, 'measurement');
  const details = h(
    'details',
    {},
    h('summary', {}, `Show all ${count}, round by round`),
    scrollable('Raw data', table),
  );
  details.addEventListener('toggle', () => {
    fillTable(body, results.samples);
  });
  const text =
    `The page contains ${count} and ${plural(results.ratios.length, 'comparison')}, ` +
    'exactly as the command wrote them, without filtering or smoothing.';
  return [h('p', {}, text), h('p', {}, download(json)), details];
}
