// The sections of replays: where the memory was at the peak, and what was foretold beside real runs.
import { currentCase } from './context';
import { byId, h } from './dom';
import { Figure } from './figure';
import { foretoldTable, hasForetold } from './foretold';
import { drawParts, hasParts, partsKey, partsTable } from './parts';
import { open, type Page } from './sections';

export function showParts({ store, context, cases }: Page): void {
  if (!cases.some(({ id }) => hasParts(context(), id))) return;
  const text =
    'The memory at the largest moment of a replay. “Asked for” is what the program wanted. Rounding ' +
    'fills size classes; what is kept for threads and free in spans serves later calls; what is not ' +
    'returned was freed and stays with the process. Some allocators do not tell these apart.';
  const box = open('parts', 'Where the memory was', h('p', { class: 'quiet' }, text));
  const title = h('figcaption');
  const figure = new Figure((width) => {
    const drawing = drawParts(context(), currentCase(context())?.id ?? '', width);
    title.textContent = drawing.title;
    return drawing;
  });
  const numbers = h('div');
  box.append(h('figure', {}, title, partsKey(), figure.element), numbers);
  store.watch(() => {
    const now = context();
    const chosen = currentCase(now);
    const isKnown = chosen !== null && hasParts(now, chosen.id);
    byId('parts').hidden = !isKnown;
    if (!isKnown) return;
    figure.redraw();
    numbers.replaceChildren(partsTable(now, chosen));
  });
}

export function showForetold({ store, context, cases }: Page): void {
  if (!cases.some(({ id }) => hasForetold(context(), id))) return;
  const text =
    'A recorded run was replayed under each contender. Its prediction is the baseline’s real ' +
    'value plus the difference between the replays. The rest is an effect outside malloc: where ' +
    'blocks lie, huge pages, the caches of the program. Where that is larger, a replay cannot decide.';
  const box = open('foretold', 'Replay against reality', h('p', { class: 'quiet' }, text));
  store.watch(() => {
    const now = context();
    const chosen = currentCase(now);
    const isKnown = chosen !== null && hasForetold(now, chosen.id);
    byId('foretold').hidden = !isKnown;
    if (isKnown) box.replaceChildren(foretoldTable(now, chosen));
  });
}
