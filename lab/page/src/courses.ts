// The sections of lines: the latency of calls, and how costs grow with a parameter.
import { currentCase, type Context } from './context';
import { byId, h } from './dom';
import { familiesOf, positions, type Family } from './families';
import { Figure } from './figure';
import { drawLines } from './linechart';
import { inOrder, isOfReplays, isSampledMemory, metricFor } from './metrics';
import { numbersTable } from './numbers';
import { linesOver, type Place } from './series';
import { open, type Page } from './sections';

/** The metrics of latency with their nines: the decimal places of the share of rarer calls. */
const shares = [
  ['p50_ns', '50 %', Math.log10(2)],
  ['p99_ns', '99 %', 2],
  ['p999_ns', '99.9 %', 3],
  // The share of one call is not in the results, so the worst call has a place of its own.
  ['worst_ns', 'worst', 4],
] as const;

/** The places of a case's latencies. Each nine is as wide as the others. */
function latencies({ table }: Context, caseId: string): Place[] {
  const known = shares.filter(([key]) => table.present(caseId, key).length > 0);
  const at = positions(
    known.map(([, , nines]) => nines),
    'linear',
  );
  return known.map(([key, label], i) => {
    return { at: at[i] ?? 0, label, caseId, metric: metricFor(key) };
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
  const text =
    'The time that 50 %, 99 % and 99.9 % of the calls did not exceed, and the longest call. ' +
    'Thin vertical lines are intervals. Press a line to hide its contender.';
  const box = open('latency', 'Latency', h('p', { class: 'quiet' }, text));
  const places = (now: Context): Place[] => latencies(now, currentCase(now)?.id ?? '');
  const figure = figureOf(page, 'Time of a call', places);
  const numbers = h('div');
  box.append(figure.element, numbers);
  store.watch(() => {
    const now = context();
    const chosen = currentCase(now);
    const known = places(now);
    const isKnown = chosen !== null && known.length > 1;
    byId('latency').hidden = !isKnown;
    if (!isKnown) return;
    figure.redraw();
    const keys = known.map(({ metric }) => metric.key);
    numbers.replaceChildren(numbersTable(now, chosen, keys, 'Latency'));
  });
}

/** The metrics that at least two cases of a family have. Growth, for one, starts at the second. */
function metricsOf({ table }: Context, { cases }: Family): string[] {
  const uses = cases.flatMap(({ id }) => table.metrics(id));
  const shared = [...new Set(uses)].filter((key) => uses.indexOf(key) < uses.lastIndexOf(key));
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
    'The same workload with other numbers. On the log scale both axes are logarithmic, unless ' +
    'they have a zero. Thin vertical lines are intervals. Press a line to hide its contender.';
  const box = open('families', 'By parameter', h('p', { class: 'quiet' }, text));
  let drawn = '';
  let figures: ReturnType<typeof figureOf>[] = [];
  const rebuild = (): void => {
    figures = families().flatMap((family) =>
      metricsOf(context(), family).map((key) => {
        const metric = metricFor(key);
        const values = family.cases.map(({ value }) => value);
        const places = ({ view }: Context): Place[] => {
          const at = positions(values, view.scale);
          return family.cases.map(({ value, id }, i) => {
            const label = value.toLocaleString('en-US');
            return { at: at[i] ?? 0, label, caseId: id, metric };
          });
        };
        return figureOf(page, `${metric.title} by ${family.key}`, places);
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
