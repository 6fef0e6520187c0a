// Tooltips: one box for the whole page, shown at the pointer and at elements with the focus.
import { h } from './dom';

type Build = () => Node | null;

const builders = new WeakMap<Element, Build>();
const box = h('div', { class: 'tip', role: 'tooltip', hidden: true });

/** Gives `element` a tooltip. The body is built only when it is shown. */
export function tip(element: Element, build: Build): void {
  builders.set(element, build);
}

/** The body of a tooltip: a name, then lines of label and value. */
export function tipBody(
  title: Node | string,
  lines: readonly (readonly [Node | string, string])[],
): HTMLElement {
  const rows = lines.map(([label, value]) =>
    value === ''
      ? h('tr', {}, h('th', { colspan: 2 }, label))
      : h('tr', {}, h('th', {}, label), h('td', {}, value)),
  );
  return h('div', {}, h('strong', {}, title), h('table', {}, ...rows));
}

/** Shows `body` beside a point of the window, where it fits. */
export function showTip(body: Node, x: number, y: number): void {
  box.replaceChildren(body);
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const right = x + 14 + width <= clientWidth - 4 ? x + 14 : x - 14 - width;
  const below = y + 14 + height <= clientHeight - 4 ? y + 14 : y - 14 - height;
  box.style.left = `${Math.min(Math.max(right, 4), Math.max(clientWidth - width - 4, 4))}px`;
  box.style.top = `${Math.max(below, 4)}px`;
}

export function hideTip(): void {
  box.hidden = true;
}

function owner(target: EventTarget | null): Element | null {
  let element = target instanceof Element ? target : null;
  while (element !== null && !builders.has(element)) element = element.parentElement;
  return element;
}

function showFor(element: Element, x: number, y: number): void {
  const body = builders.get(element)?.() ?? null;
  if (body === null) hideTip();
  else showTip(body, x, y);
}

/** Installs the tooltips. */
export function watchTips(): void {
  document.body.append(box);
  let current: Element | null = null;
  document.addEventListener('pointermove', (event) => {
    const element = owner(event.target);
    if (element === null && current === null) return;
    current = element;
    if (element === null) hideTip();
    else showFor(element, event.clientX, event.clientY);
  });
  document.addEventListener('focusin', (event) => {
    const element = owner(event.target);
    // A click also moves the focus, but the pointer already shows the tooltip.
    if (!element?.matches(':focus-visible')) return;
    const { right, top } = element.getBoundingClientRect();
    showFor(element, right, top);
  });
  document.addEventListener('focusout', hideTip);
  document.addEventListener('scroll', hideTip, { passive: true, capture: true });
  document.documentElement.addEventListener('pointerleave', hideTip);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hideTip();
  });
}
