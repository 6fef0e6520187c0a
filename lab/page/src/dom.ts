// Builds DOM nodes. Text from the results becomes text nodes, never markup.

export type Child = Node | string | null;
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null) element.setAttribute(name, `${value}`);
  }
  element.append(...children.filter((child) => child !== null));
}

/** An element with attributes. `true` sets a bare attribute; `false` and `null` set none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An SVG element, for charts and for the signs beside names. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

/** The element with this id. Throws if the template has none. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** A table that scrolls on its own in a narrow window; the keyboard can reach it. */
export function scrollable(label: string, table: HTMLTableElement): HTMLElement {
  return h(
    'div',
    { 'class': 'scroll', 'tabindex': 0, 'role': 'region', 'aria-label': label },
    table,
  );
}

/** A table with one head row. */
export function tableOf(
  className: string | null,
  head: readonly HTMLElement[],
  rows: readonly HTMLElement[],
): HTMLTableElement {
  return h(
    'table',
    { class: className },
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...rows),
  );
}

/** Words of the command, in which `backticks` mark code. */
export function prose(words: string): Child[] {
  return words.split('`').map((part, i) => (i % 2 === 1 ? h('code', {}, part) : part));
}
