// The predictions of a replay, beside the real runs.
import { isShown, nameButton, timeOf, type Context } from './context';
import { h, scrollable, tableOf } from './dom';
import { quantity } from './format';
import type { Case } from './places';

const foretoldTime = 'foretold_s';
const foretoldPeak = 'foretold_peak_bytes';

export function isForetold(key: string): boolean {
  return key === foretoldTime || key === foretoldPeak;
}

export function hasForetold({ table }: Context, caseId: string): boolean {
  return table.metrics(caseId).some(isForetold);
}

interface Told {
  readonly real: number;
  readonly foretold: number;
  /** The real difference to the baseline without that of the replay. */
  readonly outside: number;
  /** More of the difference lies outside malloc than within, and the real one is sure. */
  readonly cannotDecide: boolean;
}

function tell(context: Context, caseId: string, keys: readonly [string, string], name: string) {
  const { table, view } = context;
  const value = (key: string, who: string) => table.sample(caseId, key, who)?.median ?? null;
  const [real, foretold] = [value(keys[0], name), value(keys[1], name)];
  const base = value(keys[0], view.baseline);
  if (real === null || foretold === null || base === null) return null;
  const outside = real - foretold;
  const outcome = table.compare(caseId, keys[0], name, view.baseline)?.outcome;
  const isSure = outcome === 'better' || outcome === 'worse';
  const cannotDecide = isSure && Math.abs(outside) > Math.abs(foretold - base);
  return { real, foretold, outside, cannotDecide } satisfies Told;
}

export function foretoldTable(context: Context, row: Case): HTMLElement {
  const { table } = context;
  const time = timeOf(context, row.id)?.key ?? 'wall_s';
  const names = table.contenders.filter(
    (name) =>
      isShown(context)(name) &&
      [foretoldTime, foretoldPeak].some((key) => table.sample(row.id, key, name) !== null),
  );
  const number = (text: string) => h('td', { class: 'number' }, text);
  const cells = (told: Told | null, unit: string): HTMLElement[] => {
    if (told === null) return [number('–'), number('–'), number('–')];
    const outside = quantity(told.outside, unit, null);
    const signed = told.outside > 0 ? `+${outside}` : outside;
    const remark = told.cannotDecide ? h('small', {}, 'replay cannot decide') : null;
    return [
      number(quantity(told.real, unit, null)),
      number(quantity(told.foretold, unit, null)),
      h('td', { class: 'number' }, signed, remark),
    ];
  };
  const rows = names.map((name) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, nameButton(context, name)),
      ...cells(tell(context, row.id, [time, foretoldTime], name), 's'),
      ...cells(tell(context, row.id, ['peak_rss_bytes', foretoldPeak], name), 'bytes'),
    ),
  );
  const titles = ['Time', 'Foretold', 'Outside malloc', 'Peak RSS', 'Foretold', 'Outside malloc'];
  const heads = titles.map((title) => h('th', { scope: 'col', class: 'number' }, title));
  const all = [h('th', { scope: 'col' }, 'Contender'), ...heads];
  return scrollable('Replay against reality', tableOf('heat numbers', all, rows));
}
