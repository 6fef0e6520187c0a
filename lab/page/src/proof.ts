// The proof: each process of the program and the library that served its malloc.
import { nameButton, type Context } from './context';
import { h, scrollable, tableOf } from './dom';
import type { Process } from './data';

function row(process: Process, head: HTMLElement | null): HTMLTableRowElement {
  const { pid, program, library, version, allocates } = process;
  const loaded =
    library === '' ? 'no library found' : h('span', {}, h('code', {}, library), ` ${version}`);
  return h(
    'tr',
    { class: head === null ? null : 'first' },
    head,
    h('td', {}, h('code', {}, program)),
    h('td', { class: 'number' }, pid === null ? '–' : `${pid}`),
    h('td', {}, loaded),
    h('td', {}, allocates === null ? '–' : allocates ? 'yes' : 'no'),
  );
}

export function proofTable(context: Context, proof: readonly Process[]): HTMLElement {
  const names = [...new Set(proof.map((p) => p.contender))];
  const rows = names.flatMap((name) => {
    const processes = proof.filter((p) => p.contender === name);
    const head = h(
      'th',
      { scope: 'rowgroup', rowspan: processes.length },
      nameButton(context, name),
    );
    return processes.map((p, i) => row(p, i === 0 ? head : null));
  });
  const heads = ['Contender', 'Program', 'Process', 'Library that serves malloc', 'Allocates'];
  const head = heads.map((text, i) =>
    h('th', { scope: 'col', class: i === 2 ? 'number' : null }, text),
  );
  return scrollable('Processes and their allocators', tableOf('tally', head, rows));
}
