// The sections of lines: the latency of calls, and how costs grow with a parameter.
import { currentCase, type Context } from './context';
import { byId, h } from './dom';
import { familiesOf, positions, type Family } from './families';
import { Figure } from './figure';
import { drawLines } from './linechart';
import { inOrder, isOfReplays, isSampledMemory, metricFor } from './metrics';
import { linesOver, type Place } from './series';
import { open, type Page } from './sections';

const shares = [
  ['p50_ns', '50 %'],
  ['p99_ns', '99 %'],
  ['p999_ns', '99.9 %'],
  ['worst_ns', 'worst'],
] as const;

/** The positions of a case's latencies. Each step to the right is rarer by a factor of about ten. */
function latencies({ table }: Context, caseId: string): Place[] {
  const known = shares.filter(([key]) => table.present(caseId, key).length > 0);
  return known.map(([key, label], i) => {
    const at = known.length < 2 ? 0 : i / (known.length - 1);
    return { at, label, caseId, metric: metricFor(key) };
  });
}

function figureOf({ context }: Page, title: string, placesOf: (now: Context) => Place[]) {
  const caption = h('figcaption');
  const chart = new Figure((width) => {
    const now = context();
    const what = linesOver(now, placesOf(now), title);
    caption.textContent = what.title;
    return drawLines(now, what, width);
  });
  return {
    element: h('figure', {}, caption, chart.element),
    redraw: () => {
      chart.redraw();
    },
  };
}

export function showLatency(page: Page): void {
  const { store, context, cases } = page;
  if (!cases.some(({ id }) => latencies(context(), id).length > 1)) return;
  const text = 'So large a share of the calls took at most so long. The worst call is the longest.';
  const box = open('latency', 'Latency', h('p', { class: 'quiet' }, text));
  const places = (now: Context): Place[] => latencies(now, currentCase(now)?.id ?? '');
  const figure = figureOf(page, 'Time of a call', places);
  box.append(figure.element);
  store.watch(() => {
    const isKnown = places(context()).length > 1;
    byId('latency').hidden = !isKnown;
    if (isKnown) figure.redraw();
  });
}

/** The metrics that all cases of a family have. */
function metricsOf({ table }: Context, { cases }: Family): string[] {
  const [first, ...rest] = cases.map(({ id }) => table.metrics(id));
  const shared = (first ?? []).filter((key) => rest.every((keys) => keys.includes(key)));
  return inOrder(shared.filter((key) => !isSampledMemory(key) && !isOfReplays(key)));
}

export function showFamilies(page: Page): void {
  const { store, context, cases } = page;
  const families = (): Family[] => {
    const chosen = currentCase(context());
    return chosen === null ? [] : familiesOf(cases, chosen);
  };
  if (!cases.some((each) => familiesOf(cases, each).length > 0)) return;
  const text =
    'The same workload with other numbers. Both scales are logarithmic where they can be.';
  const box = open('families', 'By parameter', h('p', { class: 'quiet' }, text));
  let drawn = '';
  let figures: ReturnType<typeof figureOf>[] = [];
  const rebuild = (): void => {
    figures = families().flatMap((family) =>
      metricsOf(context(), family).map((key) => {
        const at = positions(family.cases.map(({ value }) => value));
        const metric = metricFor(key);
        const places = family.cases.map(({ value, id }, i): Place => {
          const label = value.toLocaleString('en-US');
          return { at: at[i] ?? 0, label, caseId: id, metric };
        });
        return figureOf(page, `${metric.title} by ${family.key}`, () => places);
      }),
    );
    box.replaceChildren(h('div', { class: 'panels' }, ...figures.map(({ element }) => element)));
  };
  store.watch(() => {
    const all = families();
    byId('families').hidden = all.length === 0;
    const named = all.map(({ key, cases: of }) => `${key}:${of.map(({ id }) => id).join()}`).join();
    if (named !== drawn) {
      drawn = named;
      rebuild();
    }
    for (const { redraw } of figures) redraw();
  });
}
