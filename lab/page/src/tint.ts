// The colours of table cells: the command's outcomes, with the size of the difference as strength.
import { h } from './dom';
import type { Comparison } from './table';

/** The strength of a ratio's colour, 0…1. A factor of 1.5 in either direction has full strength. */
export function strength(ratio: number): number {
  return ratio > 0 ? Math.min(Math.abs(Math.log(ratio)) / Math.log(1.5), 1) : 1;
}

/** Sets the class and strength of a cell. Cells without a judged difference have no colour. */
export function tint(cell: HTMLElement, c: Comparison): void {
  if (c.outcome === null) return;
  cell.classList.add(`is-${c.outcome}`);
  if (c.outcome !== 'better' && c.outcome !== 'worse') return;
  cell.style.setProperty('--strength', `${(14 + 44 * strength(c.ratio)).toFixed(0)}%`);
}

/** The meaning of the colours, also in words for readers who cannot see them. */
export function tintKey(): HTMLElement {
  const swatch = (kind: string, text: string): HTMLElement =>
    h('span', {}, h('span', { class: `swatch is-${kind}`, style: '--strength: 45%' }), text);
  return h(
    'p',
    { class: 'key' },
    swatch('better', 'better'),
    swatch('worse', 'worse'),
    swatch('equal', 'no difference that counts'),
    swatch('unclear', 'cannot tell'),
  );
}
