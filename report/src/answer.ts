// The first section: should I switch, to what, what do I gain, what do I risk?
import { currentCase, lookOf, type Context } from './context';
import { h, scrollable } from './dom';
import { factor, factorInterval, percent, plural } from './format';
import { cpu, faults, panels, type Metric } from './metrics';
import { relativeNoise } from './stats';
import { signOf } from './theme';
import {
  advise,
  changeSentence,
  goals,
  judge,
  tally,
  type GoalVerdict,
  type Question,
} from './verdict';
import type { Case } from './compare';
import { ending } from './failures';

function card(context: Context, verdict: GoalVerdict): HTMLElement {
  const { leader, goal } = verdict;
  const name =
    leader === null
      ? h('p', { class: 'winner none' }, verdict.outcome === 'none' ? 'no gain' : 'cannot tell')
      : h('p', { class: 'winner' }, signOf(lookOf(context, leader)), leader);
  return h(
    'article',
    { class: 'card' },
    h('h3', {}, goal.title),
    name,
    h('p', {}, verdict.sentence),
    verdict.cost === '' ? null : h('p', { class: 'quiet' }, verdict.cost),
  );
}

/** Everything measured that speaks against the contenders the cards name. */
function risks(context: Context, q: Question, leaders: readonly string[]): string[] {
  const { failures, contenders } = context.table.results;
  const failed = failures.map((f) => `The program failed under ${f.contender} (${ending(f)}).`);
  const missing = contenders
    .filter((c) => c.loaded === false)
    .map((c) => `${c.name} was not loaded: its numbers are left out.`);
  const costs = leaders.flatMap((name) =>
    [cpu, faults].flatMap((metric: Metric) => changeSentence(q, name, metric)),
  );
  return [...failed, ...missing, ...costs];
}

function noise({ table, view }: Context, caseId: string): string {
  const parts = panels.slice(0, 3).flatMap((metric) => {
    const sample = table.sample(caseId, metric.key, view.baseline);
    const part = sample === null ? null : relativeNoise(sample.median, sample.interval);
    return part === null ? [] : [`±${percent(part)} in ${metric.noun}`];
  });
  if (parts.length === 0) return `The noise of ${view.baseline} is unknown.`;
  return `Noise of ${view.baseline}: ${parts.join(', ')}.`;
}

function riskCard(context: Context, q: Question, leaders: readonly string[]): HTMLElement {
  const lines = risks(context, q, leaders);
  const none = 'Nothing measured speaks against it.';
  const said = lines.length === 0 ? [none] : lines;
  return h(
    'article',
    { class: lines.length === 0 ? 'card' : 'card risk' },
    h('h3', {}, 'What do I risk?'),
    h('ul', {}, ...said.map((line) => h('li', {}, line))),
    h('p', { class: 'quiet' }, noise(context, q.caseId)),
  );
}

function tallyTable(
  context: Context,
  cases: readonly Case[],
  names: readonly string[],
): HTMLElement {
  const { table, view } = context;
  const rows = goals.flatMap((goal) => {
    const q = { table, baseline: view.baseline, names };
    const lines = tally(q, goal.metric.key, cases).sort((a, b) => a.mean - b.mean);
    return lines.map((line, i) =>
      h(
        'tr',
        { class: i === 0 ? 'first' : null },
        i === 0 ? h('th', { scope: 'rowgroup', rowspan: lines.length }, goal.metric.title) : null,
        h('th', { scope: 'row' }, signOf(lookOf(context, line.name)), line.name),
        h('td', { class: 'number' }, `${line.better}`),
        h('td', { class: 'number' }, `${line.same + line.unknown}`),
        h('td', { class: 'number' }, `${line.worse}`),
        h('td', { class: 'number' }, factor(line.mean)),
        h(
          'td',
          {},
          `${factor(line.worst.comparison.ratio)} `,
          h('small', {}, `${line.worst.label} (${factorInterval(line.worst.comparison.interval)})`),
        ),
      ),
    );
  });
  const head = ['', 'Contender', 'Better', 'No difference', 'Worse', 'Geometric mean', 'Worst row'];
  const cell = (text: string, i: number): HTMLElement =>
    h('th', { scope: 'col', class: i > 1 && i < 6 ? 'number' : null }, text);
  const thead = h('thead', {}, h('tr', {}, ...head.map(cell)));
  const body = h('tbody', {}, ...rows);
  return scrollable('Tally over all workloads', h('table', { class: 'tally' }, thead, body));
}

function overview(
  context: Context,
  cases: readonly Case[],
  names: readonly string[],
): HTMLElement[] {
  const rows = plural(cases.length, 'row');
  const text =
    `Over ${rows} (workload and threads), counted against ${context.view.baseline}. ` +
    'There is no overall winner: the rows are not equally like your program.';
  return [h('h3', {}, 'All workloads'), h('p', {}, text), tallyTable(context, cases, names)];
}

export function answer(context: Context, cases: readonly Case[]): HTMLElement[] {
  const { table, view } = context;
  const names = table.contenders.filter((name) => !view.hidden.includes(name));
  const chosen = currentCase(context);
  if (chosen === null) return [];
  const q = { table, caseId: chosen.id, baseline: view.baseline, names };
  const advice = advise(q);
  const verdicts = goals.map((goal) => judge(q, goal));
  const leaders = [...new Set(verdicts.flatMap((v) => v.leader ?? []))];
  const hidden = view.hidden.filter((name) => table.contenders.includes(name));
  const several = cases.length > 1;
  return [
    h(
      'div',
      { class: `advice is-${advice.answer}` },
      h(
        'p',
        { class: 'ask' },
        `Should ${several ? chosen.label : 'I'} switch from ${view.baseline}?`,
      ),
      h('p', { class: 'headline' }, advice.headline),
      h('p', {}, advice.detail),
    ),
    h(
      'div',
      { class: 'cards' },
      ...verdicts.map((v) => card(context, v)),
      riskCard(context, q, leaders),
    ),
    ...(hidden.length > 0
      ? [h('p', { class: 'quiet' }, `Hidden, and not considered here: ${hidden.join(', ')}.`)]
      : []),
    ...(several ? overview(context, cases, names) : []),
  ];
}
