// The first section: should I switch, to what, what do I gain, what do I risk?
import { currentCase, lookOf, type Context } from './context';
import { h, scrollable } from './dom';
import { ending } from './failures';
import { factor, factorInterval, percent, plural } from './format';
import { cpu, faults, panels, wall, type Metric } from './metrics';
import { relativeNoise } from './stats';
import { signOf } from './theme';
import { advise, changeSentence, goals, judge, summary, tally } from './verdict';
import type { GoalVerdict, Question, Tally } from './verdict';
import type { Case } from './compare';

function card(context: Context, verdict: GoalVerdict): HTMLElement {
  const { leader, goal } = verdict;
  const name =
    leader === null
      ? h('p', { class: 'winner none' }, verdict.outcome === 'none' ? 'no gain' : 'inconclusive')
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

/** The measured reasons against the contenders that the cards name. */
function risks(context: Context, q: Question, leaders: readonly string[]): string[] {
  const { failures, contenders } = context.table.results;
  const failed = failures.map((f) => `${f.contender} is excluded: ${ending(f)}.`);
  const missing = contenders
    .filter((c) => c.loaded === false)
    .map((c) => `${c.name} was not loaded, so its numbers are excluded.`);
  const costs = leaders.flatMap((name) =>
    [cpu, faults].flatMap((metric: Metric) => changeSentence(q, name, metric)),
  );
  return [...failed, ...missing, ...noiseWarning(context, q.caseId), ...costs];
}

/** The page warns above this noise. On a quiet machine the noise stays well below it. */
const loud = 0.05;

function noiseWarning({ table, view }: Context, caseId: string): string[] {
  const sample = table.sample(caseId, wall.key, view.baseline);
  const part = sample === null ? null : relativeNoise(sample.median, sample.interval);
  if (part === null || part < loud) return [];
  const advice = 'heapsmith doctor lists possible causes.';
  return [
    `This measurement is noisy (±${percent(part)} in wall time) and shows only large differences; ${advice}`,
  ];
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
  const none = leaders.length > 0 ? 'No measured metric gets worse.' : 'Nothing failed.';
  const said = lines.length === 0 ? [none] : lines;
  return h(
    'article',
    { class: lines.length === 0 ? 'card' : 'card risk' },
    h('h3', {}, 'What do I risk?'),
    h('ul', {}, ...said.map((line) => h('li', {}, line))),
    h('p', { class: 'quiet' }, noise(context, q.caseId)),
  );
}

function tallyRow(context: Context, line: Tally, head: HTMLElement | null): HTMLTableRowElement {
  const { label, comparison } = line.worst;
  const count = (value: number): HTMLElement => h('td', { class: 'number' }, `${value}`);
  return h(
    'tr',
    { class: head === null ? null : 'first' },
    head,
    h('th', { scope: 'row' }, signOf(lookOf(context, line.name)), line.name),
    count(line.better),
    count(line.same + line.unknown),
    count(line.worse),
    h('td', { class: 'number' }, factor(line.mean)),
    h(
      'td',
      {},
      `${factor(comparison.ratio)} `,
      h('small', {}, `${label} (${factorInterval(comparison.interval)})`),
    ),
  );
}

/** All workloads at once: a sentence for each goal, then the counts behind it. */
function overview(context: Context, cases: readonly Case[], names: readonly string[]): HTMLElement {
  const { baseline } = context.view;
  const q = { table: context.table, baseline, names };
  const tallies = goals.map((goal) => ({ goal, lines: tally(q, goal.metric.key, cases) }));
  const rows = tallies.flatMap(({ goal, lines }) => {
    const head = h('th', { scope: 'rowgroup', rowspan: lines.length }, goal.metric.title);
    const sorted = [...lines].sort((a, b) => a.mean - b.mean);
    return sorted.map((line, i) => tallyRow(context, line, i === 0 ? head : null));
  });
  const titles = [
    '',
    'Contender',
    'Better',
    'No difference',
    'Worse',
    'Geometric mean',
    'Worst row',
  ];
  const head = titles.map((text, i) =>
    h('th', { scope: 'col', class: i > 1 && i < 6 ? 'number' : null }, text),
  );
  const sentences = tallies.map(({ goal, lines }) =>
    h('li', {}, h('strong', {}, `${goal.title}: `), summary(goal, lines, baseline)),
  );
  const table = h(
    'table',
    { class: 'tally' },
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...rows),
  );
  return h(
    'div',
    { class: 'overview' },
    h('h3', {}, `${plural(cases.length, 'workload row')} against ${baseline}`),
    h('ul', { class: 'sentences' }, ...sentences),
    scrollable('Tally over all workloads', table),
    h(
      'p',
      { class: 'quiet' },
      'The page names no overall winner: some rows resemble your program more than others. Look for the row that resembles it most.',
    ),
  );
}

function subject(chosen: Case): string {
  if (chosen.suite === 'try') return 'Should I';
  return `One workload, ${chosen.label}: should a program like this`;
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
  const verdict = h(
    'div',
    { class: `advice is-${advice.answer}` },
    h('p', { class: 'ask' }, `${subject(chosen)} switch from ${view.baseline}?`),
    h('p', { class: 'headline' }, advice.headline),
    h('p', {}, advice.detail),
  );
  const cards = h(
    'div',
    { class: 'cards' },
    ...verdicts.map((v) => card(context, v)),
    riskCard(context, q, leaders),
  );
  const left = `Hidden and not considered here: ${hidden.join(', ')}.`;
  const rest = hidden.length > 0 ? [h('p', { class: 'quiet' }, left)] : [];
  if (cases.length === 1) return [verdict, cards, ...rest];
  // The program of `heapsmith try` does not belong to the suite of workloads.
  const suite = cases.filter((c) => c.suite !== 'try');
  const all = overview(context, suite.length > 0 ? suite : cases, names);
  // The reader's own program comes first. One workload of many must not look like the answer.
  if (chosen.suite === 'try') return [verdict, cards, ...rest, all];
  verdict.classList.add('minor');
  return [all, ...rest, verdict, cards];
}
