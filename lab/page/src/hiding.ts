// Hiding a contender everywhere, from any mark or name that carries its name.
import { hideTip } from './tooltip';
import type { Store } from './state';

/** The attribute of marks and names that hide their contender when they are pressed. */
export const hides = 'data-hides';

function named(target: EventTarget | null): string | null {
  const element = target instanceof Element ? target.closest(`[${hides}]`) : null;
  return element?.getAttribute(hides) ?? null;
}

function isTouch(event: Event): boolean {
  return event instanceof PointerEvent && event.pointerType === 'touch';
}

/** Installs the presses. A touch on a mark shows its tooltip instead; names and chips still hide. */
export function watchPresses(store: Store): void {
  document.addEventListener('click', (event) => {
    const name = named(event.target);
    const isButton = event.target instanceof Element && event.target.closest('button') !== null;
    if (name === null || (isTouch(event) && !isButton)) return;
    hideTip();
    store.toggle(name);
  });
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    // Browsers turn the keys into clicks on buttons themselves.
    if (!(target instanceof SVGElement) || (key !== 'Enter' && key !== ' ')) return;
    const name = named(target);
    if (name === null) return;
    event.preventDefault();
    hideTip();
    store.toggle(name);
  });
}
