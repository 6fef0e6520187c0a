// A line of shell with a button that copies it.
import { h } from './dom';

/** Selects the text, so that the reader can copy it where the browser refuses to. */
function select(element: HTMLElement): void {
  const selection = window.getSelection();
  const range = document.createRange();
  range.selectNodeContents(element);
  selection?.removeAllRanges();
  selection?.addRange(range);
}

export function copyable(line: string): HTMLElement {
  const code = h('code', {}, line);
  const state = h('span', { 'aria-live': 'polite' }, 'Copy');
  const button = h('button', { type: 'button', class: 'copy' }, state);
  const say = (text: string): void => {
    state.textContent = text;
    window.setTimeout(() => (state.textContent = 'Copy'), 2000);
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(line).then(
      () => {
        say('Copied');
      },
      () => {
        select(code);
        say('Press Ctrl+C');
      },
    );
  });
  return h('div', { class: 'paste' }, h('pre', { tabindex: 0 }, code), button);
}
