// The section of figures that others published.
import { currentCase, type Context } from './context';
import { byId, h } from './dom';
import { Figure } from './figure';
import { drawLines } from './linechart';
import { drawPublished, publishedLines, publishedMetrics, publishedOf } from './published';
import { open, type Page } from './sections';

const text =
  'Figures that others published for the same work, as hollow signs and dashed lines. They were ' +
  'measured on other machines, in other years and some in other languages, so a ratio to ours says ' +
  'nothing; the shape does: the order within a source, and how cost grows. The scale is logarithmic.';

function figureOf(draw: (width: number) => ReturnType<typeof drawLines>, title: () => string) {
  const caption = h('figcaption');
  const chart = new Figure((width) => {
    const drawing = draw(width);
    caption.textContent = title();
    return drawing;
  });
  return { element: h('figure', {}, caption, chart.element), chart };
}

function sources(now: Context, id: string): HTMLElement {
  const named = [...new Set(publishedOf(now, id).map(({ source }) => source))];
  return h('p', { class: 'quiet' }, `Published in: ${named.join('; ')}.`);
}

export function showPublished({ store, context, cases }: Page): void {
  if (!cases.some(({ id }) => publishedOf(context(), id).length > 0)) return;
  const box = open('published', 'Published figures', h('p', { class: 'quiet' }, text));
  let drawn = '';
  let charts: Figure[] = [];
  const rebuild = (id: string, keys: readonly string[]): void => {
    const made = keys.flatMap((key) => {
      const lines = () => {
        const chosen = currentCase(context());
        return chosen === null ? null : publishedLines(context(), cases, chosen, key);
      };
      let title = '';
      const rows = figureOf(
        (width) => {
          const drawing = drawPublished(context(), id, key, width);
          title = drawing.title;
          return drawing;
        },
        () => title,
      );
      const first = lines();
      if (first === null) return [rows];
      const over = figureOf(
        (width) => drawLines(context(), lines() ?? first, width),
        () => first.title,
      );
      return [over, rows];
    });
    charts = made.map(({ chart }) => chart);
    box.replaceChildren(...made.map(({ element }) => element), sources(context(), id));
  };
  store.watch(() => {
    const now = context();
    const id = currentCase(now)?.id ?? '';
    const keys = publishedMetrics(now, id);
    byId('published').hidden = keys.length === 0;
    if (keys.length === 0) return;
    if (drawn !== id) {
      drawn = id;
      rebuild(id, keys);
    }
    for (const chart of charts) chart.redraw();
  });
}
