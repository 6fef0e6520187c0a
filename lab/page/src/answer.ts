// The first section prints the command's verdict: headline, line to paste, remedy and goals.
import { copyable } from './copy';
import { isShown, lookOf, nameButton, outcomeText, type Context } from './context';
import { h, prose } from './dom';
import { list, percent, sentenceCase, unbroken } from './format';
import { signOf } from './theme';
import { tallyTable } from './tally';
import type { Goal, Judgement } from './data';

const badges: Readonly<Record<Judgement['kind'], readonly [sign: string, text: string]>> = {
  switch: ['→', 'Switch'],
  trade: ['⇄', 'A trade'],
  keep: ['=', 'Keep'],
  cannot_tell: ['?', 'Cannot tell'],
  failure: ['!', 'Failure'],
  suite: ['≡', 'Several workloads'],
};

function badge(kind: Judgement['kind']): HTMLElement {
  const [sign, text] = badges[kind];
  return h('p', { class: 'badge' }, h('span', { 'aria-hidden': 'true' }, sign), text);
}

function adviceOf(context: Context, { advice, headline }: Judgement): HTMLElement | null {
  if (advice === null || advice.line === '') return null;
  // The headline often says it already.
  const isNew = advice.note !== '' && !headline.includes(advice.note);
  const note = isNew ? h('p', { class: 'quiet' }, unbroken(advice.note)) : null;
  return h(
    'div',
    { class: 'advice' },
    h(
      'p',
      { class: 'advice-title' },
      'To run it with ',
      signOf(lookOf(context, advice.contender)),
      h('strong', {}, advice.contender),
    ),
    copyable(advice.line),
    note,
  );
}

/** A goal without a contender says why in its outcome. */
function winner(context: Context, { contender, outcome }: Goal): HTMLElement {
  if (contender !== null) return nameButton(context, contender);
  const words = { unclear: 'cannot tell', missing: 'not measured' } as const;
  const text = outcome === 'unclear' || outcome === 'missing' ? words[outcome] : 'no gain';
  return h('span', { class: 'quiet', title: outcomeText[outcome] }, text);
}

function goalsOf(context: Context, { goals }: Judgement): HTMLElement | null {
  if (goals.length === 0) return null;
  const rows = goals.map((goal) =>
    h(
      'div',
      { class: 'goal' },
      h('dt', {}, sentenceCase(goal.goal), winner(context, goal)),
      h('dd', {}, ...prose(unbroken(goal.sentence))),
    ),
  );
  return h('dl', { class: 'goals' }, ...rows);
}

/** The rules that the command judged by. */
function rules({ table, view }: Context, verdict: Judgement): string {
  const { confidence, compared, smallestGain, comparisons } = verdict;
  const bases = [...new Set(comparisons.map((c) => c.baseline))];
  const parts = [
    bases.length > 0 ? `The verdict compares with ${list(bases)}.` : '',
    smallestGain === null ? '' : `Differences below ${percent(smallestGain)} do not count.`,
    confidence === null || compared === null
      ? ''
      : `With ${percent(confidence)} confidence, ${compared === 1 ? 'its interval holds' : `all ${compared} intervals hold together`}.`,
    bases.length > 0 && !bases.includes(view.baseline)
      ? `The charts below compare with ${view.baseline}: they show ratios, and the file has no outcomes for them.`
      : '',
  ];
  const hidden = table.contenders.filter((name) => !isShown({ table, view } as Context)(name));
  if (hidden.length > 0) parts.push(`Hidden below, but part of the verdict: ${list(hidden)}.`);
  return parts.filter((p) => p !== '').join(' ');
}

/** A headline of several clauses is set smaller. */
function isLong(headline: string): string | null {
  return headline.length > 110 ? 'long' : null;
}

export function answer(context: Context, verdict: Judgement): HTMLElement[] {
  const remedy =
    verdict.remedy === ''
      ? null
      : h(
          'p',
          { class: 'remedy' },
          h('strong', {}, 'What to do: '),
          ...prose(unbroken(verdict.remedy)),
        );
  const parts = [
    badge(verdict.kind),
    h('h1', { id: 'verdict-title', class: isLong(verdict.headline) }, unbroken(verdict.headline)),
    remedy,
    adviceOf(context, verdict),
    goalsOf(context, verdict),
    tallyTable(context, verdict),
    h('p', { class: 'quiet rules' }, rules(context, verdict)),
  ];
  return parts.filter((part) => part !== null);
}
