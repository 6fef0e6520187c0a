// Colours and signs. Each contender has both, so readers need not rely on either alone.
import { svg } from './dom';
import type { Theme } from './state';

/** Outlines in a box of 24 units, for legends and chart symbols. All are solid: hollow has a meaning. */
const signs = [
  'M12 1.5 22.5 9.3 18.5 21.5h-13L1.5 9.3Z',
  'M3.5 3.5h17v17h-17Z',
  'M12 1 23 12 12 23 1 12Z',
  'M12 2.5 23 21.5H1Z',
  'M12 2a10 10 0 1 0 .01 0Z',
  'M12 21.5 1 2.5h22Z',
  'M8.5 2h7v6.5H22v7h-6.5V22h-7v-6.5H2v-7h6.5Z',
  'M6.5 2.5h11L23 12l-5.5 9.5h-11L1 12Z',
  'M12 1l3 7.5 8 .6-6.2 5.2 2 7.9L12 18l-6.8 4.2 2-7.9L1 9.1l8-.6Z',
  'M3 7.5V3h4.5L12 7.5 16.5 3H21v4.5L16.5 12l4.5 4.5V21h-4.5L12 16.5 7.5 21H3v-4.5L7.5 12Z',
  'M3 3h18.5v18.5Z',
  'M21.5 12 2.5 23V1Z',
  'M2.5 12 21.5 1v22Z',
  'M1.5 8.5h21v7h-21Z',
] as const;

/** Well-known families look the same in every report; others take the remaining slots. */
const usual = [
  /^as-built$/,
  /^glibc/,
  /^heapsmith/,
  /^jemalloc/,
  /^mimalloc/,
  /^gperftools/,
  /^tbbmalloc/,
  /^snmalloc/,
  /^rpmalloc/,
  /^(google-)?tcmalloc/,
] as const;

export interface Look {
  readonly slot: number;
  readonly path: string;
}

export function looks(names: readonly string[]): ReadonlyMap<string, Look> {
  const owner = usual.map((family) => names.find((name) => family.test(name)));
  const free = signs.map((_, slot) => slot).filter((slot) => owner[slot] === undefined);
  // The slots beyond the families come first, so that a stranger rarely looks like a known one.
  free.sort((a, b) => Number(b >= usual.length) - Number(a >= usual.length));
  let next = 0;
  return new Map(
    names.map((name) => {
      const own = owner.indexOf(name);
      // Signs repeat if there are more contenders than signs. The names beside them still differ.
      const slot = own >= 0 ? own : (free[next++ % Math.max(free.length, 1)] ?? 0);
      return [name, { slot, path: signs[slot] ?? signs[0] }];
    }),
  );
}

/** The sign of a contender beside its name. */
export function signOf(look: Look): SVGElement {
  const path = svg('path', {
    'd': look.path,
    'fill-rule': 'evenodd',
    'fill': `var(--c${look.slot})`,
  });
  return svg('svg', { 'class': 'sign', 'viewBox': '0 0 24 24', 'aria-hidden': 'true' }, path);
}

/** The style sheet's colours, resolved for canvases. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

/** Sets the theme of the document. */
export function applyTheme(theme: Theme): void {
  const wanted = theme === 'auto' ? (prefersDark.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset['theme'] = wanted;
}

export function onSystemTheme(listener: () => void): void {
  prefersDark.addEventListener('change', listener);
}
