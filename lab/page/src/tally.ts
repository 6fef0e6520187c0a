// A suite at a glance: how often the command judged each contender better or worse, per metric.
import { isShown, nameButton, type Context } from './context';
import { h, scrollable, tableOf } from './dom';
import { factor, factorInterval } from './format';
import { inOrder, metricFor } from './metrics';
import { caseLabel } from './places';
import { tip, tipBody } from './tooltip';
import type { Judged, Judgement, Outcome } from './data';

const titles: Readonly<Record<Outcome, string>> = {
  better: 'better',
  worse: 'worse',
  equal: 'equal',
  unclear: 'cannot tell',
  missing: 'not compared',
};

/** Better to the left, worse to the right, the rest between them. */
const order = ['better', 'equal', 'unclear', 'worse'] as const;

function countOf(rows: readonly Judged[], outcome: Outcome): number {
  return rows.filter((r) => r.outcome === outcome).length;
}

function strip(rows: readonly Judged[], total: number): HTMLElement {
  const parts = order.flatMap((outcome) => {
    const count = countOf(rows, outcome);
    if (count === 0) return [];
    return [h('span', { class: `is-${outcome}`, style: `flex: ${count}` }, `${count}`)];
  });
  const cell = h(
    'div',
    { class: 'strip', style: `width: ${(100 * rows.length) / total}%` },
    ...parts,
  );
  const lines = order.map((o): [string, string] => [titles[o], `${countOf(rows, o)}`]);
  tip(cell, () => tipBody('Workload rows', lines));
  return h('td', {}, cell);
}

/** The row with the lowest or the highest ratio. */
function extreme(rows: readonly Judged[], sign: 1 | -1): HTMLElement {
  const [row] = rows
    .filter((r) => r.median !== null)
    .sort((a, b) => sign * ((a.median ?? 0) - (b.median ?? 0)));
  if (row?.median === undefined || row.median === null) return h('td', {}, '–');
  const cell = h(
    'td',
    {},
    `${factor(row.median, row.interval)} `,
    h('small', {}, caseLabel(row.workload, row.params)),
  );
  tip(cell, () =>
    tipBody(caseLabel(row.workload, row.params), [
      ['95 % interval', factorInterval(row.interval)],
      ['', titles[row.outcome]],
    ]),
  );
  return cell;
}

/** Null for one workload, where the goals say it all. */
export function tallyTable(context: Context, { comparisons }: Judgement): HTMLElement | null {
  const rows = comparisons.filter((c) => c.outcome !== 'missing');
  const places = new Set(rows.map((c) => caseLabel(c.workload, c.params)));
  if (places.size < 2) return null;
  const body = inOrder([...new Set(rows.map((c) => c.metric))]).flatMap((metric) => {
    const named = rows.filter((c) => c.metric === metric);
    const names = [...new Set(named.map((c) => c.contender))].filter(isShown(context));
    const of = (name: string): Judged[] => named.filter((c) => c.contender === name);
    const total = Math.max(1, ...names.map((name) => of(name).length));
    const head = h('th', { scope: 'rowgroup', rowspan: names.length }, metricFor(metric).title);
    return names.map((name, i) =>
      h(
        'tr',
        { class: i === 0 ? 'first' : null },
        i === 0 ? head : null,
        h('th', { scope: 'row' }, nameButton(context, name)),
        strip(of(name), total),
        extreme(of(name), 1),
        extreme(of(name), -1),
      ),
    );
  });
  const heads = ['Metric', 'Contender', 'Workload rows', 'Lowest', 'Highest'];
  const head = heads.map((text) => h('th', { scope: 'col' }, text));
  const table = tableOf('tally', head, body);
  const key = order.map((o) => h('span', {}, h('span', { class: `swatch is-${o}` }), titles[o]));
  return h(
    'div',
    { class: 'overview' },
    scrollable('Outcomes over all workloads', table),
    h('p', { class: 'key' }, ...key),
  );
}
