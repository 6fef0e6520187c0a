// Advice for the code: each change that pays, where, what it saves, and what must hold.
import { h } from './dom';
import type { CodeAdvice, Gain, Piece, Spot, Spread } from './data';

/** A saving as a change: 0.12 is "−12 %". */
function percent(share: number): string {
  const shown = (-100 * share).toFixed(1);
  return `${shown.startsWith('-') ? '−' : '+'}${shown.replace('-', '')} %`;
}

function spread(it: Spread): string {
  return `${percent(it.median)} [${percent(it.high)}, ${percent(it.low)}]`;
}

function saved(gain: Gain): string {
  return `time ${spread(gain.time)}, peak ${spread(gain.peak)}`;
}

function spotOf({ name, file, line, source }: Spot): HTMLElement {
  const at = file === null || line === null ? '' : ` (${file}:${line})`;
  const text = source === null ? null : h('pre', {}, source);
  return h('div', {}, h('p', {}, h('code', {}, name), name.includes(`${file}`) ? '' : at), text);
}

function pieceOf(piece: Piece): HTMLElement {
  return h(
    'article',
    { class: 'piece' },
    h('h4', {}, piece.title),
    h('p', {}, h('strong', {}, saved(piece.gain))),
    ...piece.places.map(spotOf),
    h('p', {}, `Seen: ${piece.seen}.`),
    h('ul', {}, ...piece.safeIf.map((line) => h('li', {}, `Safe if ${line}.`))),
    h('p', { class: 'quiet' }, `Not verified: ${piece.notVerified.join('; ')}.`),
    h('pre', {}, piece.code),
  );
}

function adviceOf(advice: CodeAdvice): HTMLElement[] {
  const { workload, pieces, together, mallocs, tried, mallocsTried } = advice;
  const all = together === null ? null : h('p', {}, `All together: ${saved(together)}.`);
  const others = mallocs.flatMap(({ name, line, gain }) => [
    h('p', {}, 'Another malloc: ', h('code', {}, name), `: ${saved(gain)}.`),
    h('pre', {}, line),
  ]);
  const nothing =
    pieces.length === 0 && mallocs.length === 0
      ? h('p', {}, 'No change of the code pays: none saves 1 % of the time or of the peak.')
      : null;
  const rivals = mallocsTried === 0 ? '' : `, other mallocs or settings: ${mallocsTried}`;
  const counts = `Replayed: changes of sites: ${tried}${rivals}.`;
  const parts = [nothing, ...pieces.map(pieceOf), all, ...others];
  return [
    h('h3', {}, h('code', {}, workload)),
    ...parts.filter((part) => part !== null),
    h('p', { class: 'quiet' }, counts),
  ];
}

export function codeAdviceList(advice: readonly CodeAdvice[]): HTMLElement[] {
  const note =
    'Each change was replayed with the calls of one recorded run, and the rest as it was. ' +
    'The numbers are medians with their intervals; less is better.';
  return [h('p', { class: 'quiet' }, note), ...advice.flatMap(adviceOf)];
}
