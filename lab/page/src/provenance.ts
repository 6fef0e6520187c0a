// The origin of the numbers: machine, command, date, and the libraries that were really loaded.
import { h, scrollable, tableOf } from './dom';
import { date, quantity, sentenceCase } from './format';
import type { Contender, Results } from './data';

const spellings: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  cpus: 'CPUs',
  libc: 'C library',
  memory_bytes: 'Memory',
  os: 'System',
};

/** `kernel_release` → `Kernel release`. */
export function factName(key: string): string {
  return spellings[key] ?? sentenceCase(key);
}

/** A fact about the machine as text; the command may give it in any JSON type. */
export function factText(value: unknown, key = ''): string {
  if (value === null || value === undefined || value === '') return 'unknown';
  if (typeof value === 'number' && key.endsWith('_bytes')) return quantity(value, 'bytes');
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((v) => factText(v)).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([k, v]) => `${factName(k)}: ${factText(v, k)}`)
      .join('; ');
  }
  return JSON.stringify(value);
}

function loadedText(contender: Contender): HTMLElement {
  if (contender.loaded === null) return h('span', { class: 'quiet' }, 'nothing to prove');
  return contender.loaded
    ? h('span', { class: 'good' }, '✓ loaded')
    : h('strong', { class: 'bad' }, '✗ not loaded');
}

function contenderRow(contender: Contender, hasSettings: boolean): HTMLTableRowElement {
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, contender.name),
    h('td', {}, contender.version === '' ? '–' : contender.version),
    h('td', {}, contender.library === null ? '–' : h('code', {}, contender.library)),
    h('td', {}, loadedText(contender)),
    hasSettings
      ? h('td', {}, ...contender.settings.map((s) => h('code', { class: 'setting' }, s)))
      : null,
  );
}

export function provenance(results: Results): HTMLElement[] {
  const facts: [string, HTMLElement | string][] = [
    ['Command', h('code', {}, results.command)],
    ['Date', h('time', { datetime: results.created }, date(results.created))],
    ...Object.entries(results.machine).map(([key, value]): [string, string] => [
      factName(key),
      factText(value, key),
    ]),
  ];
  const list = h('dl', { class: 'facts' });
  for (const [name, value] of facts)
    list.append(h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  const { contenders } = results;
  const hasSettings = contenders.some((c) => c.settings.length > 0);
  const heads = ['Contender', 'Version', 'Library in the process', 'Proof'];
  const titles = hasSettings ? [...heads, 'Settings'] : heads;
  const table = tableOf(
    null,
    titles.map((t) => h('th', { scope: 'col' }, t)),
    contenders.map((c) => contenderRow(c, hasSettings)),
  );
  return [list, scrollable('Contenders', table)];
}
