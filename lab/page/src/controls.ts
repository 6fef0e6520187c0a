// The control bar of all sections: legend, baseline, workload, scale and mode.
import { h } from './dom';
import { signOf, type Look } from './theme';
import type { Case } from './places';
import type { Store, Word } from './state';
import type { Table } from './table';

type Option = readonly [value: string, label: string];

/** A group of radio buttons that looks like one switch. The browser handles arrow keys. */
export function choice(
  store: Store,
  key: Word,
  label: string,
  options: readonly Option[],
): HTMLElement {
  // Long options do not fit beside each other in a narrow window.
  if (options.map(([, text]) => text).join('').length > 28)
    return picker(store, key, label, options);
  const inputs = options.map(([value, text]) => {
    const input = h('input', { type: 'radio', name: key, value });
    input.addEventListener('change', () => {
      store.set({ [key]: value });
    });
    return { input, box: h('label', {}, input, h('span', {}, text)) };
  });
  store.watch((view) => {
    for (const { input } of inputs) input.checked = input.value === view[key];
  });
  const legend = h('legend', {}, label);
  return h('fieldset', { class: 'choice' }, legend, ...inputs.map(({ box }) => box));
}

export function picker(
  store: Store,
  key: Word,
  label: string,
  options: readonly Option[],
): HTMLElement {
  const select = h('select', {}, ...options.map(([value, text]) => h('option', { value }, text)));
  select.addEventListener('change', () => {
    store.set({ [key]: select.value });
  });
  store.watch((view) => {
    select.value = view[key];
  });
  return h('label', { class: 'picker' }, h('span', {}, label), select);
}

/** A button for each contender. A pressed button shows the contender. */
function legend(store: Store, table: Table, looks: ReadonlyMap<string, Look>): HTMLElement {
  const buttons = table.contenders.map((name) => {
    const look = looks.get(name);
    const sign = look === undefined ? null : signOf(look);
    const button = h('button', { type: 'button', class: 'chip' }, sign, h('span', {}, name));
    button.addEventListener('click', () => {
      store.toggle(name);
    });
    return { name, button };
  });
  const all = h('button', { type: 'button', class: 'chip plain' }, 'Show all');
  all.addEventListener('click', () => {
    store.set({ hidden: [] });
  });
  store.watch((view) => {
    all.hidden = view.hidden.length === 0;
    for (const { name, button } of buttons) {
      const shown = !view.hidden.includes(name);
      button.setAttribute('aria-pressed', `${shown}`);
      button.title = shown ? `Hide ${name} everywhere` : `Show ${name}`;
    }
  });
  const group = {
    'class': 'legend',
    'role': 'group',
    'aria-label': 'Contenders: press to hide or show',
  };
  return h('div', group, ...buttons.map(({ button }) => button), all);
}

export function controls(
  store: Store,
  table: Table,
  looks: ReadonlyMap<string, Look>,
  cases: readonly Case[],
): HTMLElement[] {
  const names = table.contenders.map((name): Option => [name, name]);
  const several = cases.length > 1;
  const caseOptions = cases.map((c): Option => [c.id, c.label]);
  const row = h(
    'div',
    { class: 'steer' },
    picker(store, 'baseline', 'Baseline', names),
    several ? picker(store, 'case', 'Workload', caseOptions) : null,
    choice(store, 'mode', 'Values', [
      ['relative', 'Relative'],
      ['absolute', 'Absolute'],
    ]),
    choice(store, 'scale', 'Scale', [
      ['log', 'Log'],
      ['linear', 'Linear'],
    ]),
  );
  return [legend(store, table, looks), row];
}
