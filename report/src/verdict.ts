// Turns comparisons into sentences about gains, costs and inconclusive results.
import type { Comparison, Table } from './compare';
import { change, factor, factorInterval, percent } from './format';
import { rss, wall, type Metric } from './metrics';
import { geometricMean } from './stats';

export interface Goal {
  readonly title: string;
  readonly metric: Metric;
  /** The metric that may get worse when this goal is reached. */
  readonly other: Metric;
  readonly better: string;
  readonly worse: string;
}

export const goals: readonly Goal[] = [
  { title: 'Fastest', metric: wall, other: rss, better: 'faster', worse: 'slower' },
  { title: 'Smallest', metric: rss, other: wall, better: 'smaller', worse: 'larger' },
];

/** A smaller gain may be real, but is rarely worth a change of allocator. */
const smallGain = 0.02;

export interface GoalVerdict {
  readonly goal: Goal;
  readonly outcome: 'gain' | 'none' | 'unknown';
  readonly leader: string | null;
  readonly sentence: string;
  readonly cost: string;
}

export interface Question {
  readonly table: Table;
  readonly caseId: string;
  readonly baseline: string;
  /** The contenders to compare. The baseline is not compared with itself. */
  readonly names: readonly string[];
}

function list(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1] ?? ''}`;
}

/** `(0.88×, 95 % interval 0.87–0.90×)` */
function evidence(c: Comparison): string {
  return `(${factor(c.ratio)}, 95 % interval ${factorInterval(c.interval)})`;
}

function rivals(q: Question): string[] {
  return q.names.filter((name) => name !== q.baseline);
}

function compared(q: Question, metric: Metric): [string, Comparison][] {
  return rivals(q).flatMap((name) => {
    const c = q.table.compare(q.caseId, metric.key, name, q.baseline);
    return c === null ? [] : [[name, c] as [string, Comparison]];
  });
}

/** The effect of choosing `name` on another metric, as a sentence. */
function costOf(q: Question, name: string, metric: Metric): string {
  const c = q.table.compare(q.caseId, metric.key, name, q.baseline);
  if (c === null || c.outcome === 'unknown') return `Its ${metric.noun} could not be compared.`;
  if (c.outcome === 'same') return `No measurable difference in ${metric.noun} ${evidence(c)}.`;
  const verb = c.outcome === 'better' ? 'It also takes' : 'It costs';
  return `${verb} ${change(c.ratio, metric.noun)} ${evidence(c)}.`;
}

/** A sentence about a further metric that gets worse with `name`; empty if it does not. */
export function changeSentence(q: Question, name: string, metric: Metric): string[] {
  const c = q.table.compare(q.caseId, metric.key, name, q.baseline);
  if (c?.outcome !== 'worse') return [];
  return [`${name} takes ${change(c.ratio, metric.noun)} ${evidence(c)}.`];
}

function whyUnknown(q: Question, metric: Metric): string {
  const absence = q.table.absence(q.caseId, metric.key, q.baseline);
  const verb = absence === 'failed' ? 'failed' : `was ${absence ?? ''}`;
  if (absence !== null) return `Nothing to compare with: ${q.baseline} ${verb} here.`;
  return 'Too few rounds: an interval needs at least six.';
}

function noGain(q: Question, goal: Goal, all: readonly [string, Comparison][]): GoalVerdict {
  const same = all.filter(([, c]) => c.outcome === 'same').map(([name]) => name);
  const worse = all.filter(([, c]) => c.outcome === 'worse').map(([name]) => name);
  const known = same.length + worse.length > 0;
  const parts = [
    same.length > 0 ? `${list(same)}: no measurable difference.` : '',
    worse.length > 0 ? `${list(worse)}: measurably ${goal.worse}.` : '',
  ];
  return {
    goal,
    outcome: known ? 'none' : 'unknown',
    leader: null,
    sentence: known
      ? `Nothing is measurably ${goal.better} than ${q.baseline}.`
      : whyUnknown(q, goal.metric),
    cost: parts.filter((p) => p !== '').join(' '),
  };
}

export function judge(q: Question, goal: Goal): GoalVerdict {
  const all = compared(q, goal.metric);
  const better = all.filter(([, c]) => c.outcome === 'better');
  const [first] = better.sort((a, b) => a[1].ratio - b[1].ratio);
  if (first === undefined) return noGain(q, goal, all);
  const [leader, c] = first;
  const level = rivals(q).filter(
    (name) =>
      name !== leader &&
      q.table.compare(q.caseId, goal.metric.key, name, leader)?.outcome === 'same',
  );
  const takes = `${leader} takes ${change(c.ratio, goal.metric.noun)} than ${q.baseline}`;
  const sentences = [
    `${takes} ${evidence(c)}.`,
    c.ratio > 1 - smallGain ? 'The gain is measurable but small.' : '',
    level.length > 0 ? `Not measurably different from it: ${list(level)}.` : '',
  ];
  return {
    goal,
    outcome: 'gain',
    leader,
    sentence: sentences.filter((s) => s !== '').join(' '),
    cost: costOf(q, leader, goal.other),
  };
}

export interface Advice {
  readonly answer: 'yes' | 'trade' | 'hardly' | 'no' | 'unknown';
  readonly headline: string;
  readonly detail: string;
}

/** `12 % less wall time and 2.5 times the peak memory`, then the metrics that did not change. */
function effects(pair: readonly [Metric, Comparison][]): string {
  const changed = pair
    .filter(([, c]) => c.outcome !== 'same')
    .map(([m, c]) => change(c.ratio, m.noun));
  const same = pair.filter(([, c]) => c.outcome === 'same').map(([m]) => m.noun);
  const rest = same.length > 0 ? `, with no measurable difference in ${list(same)}` : '';
  return list(changed) + rest;
}

/** Should the reader switch? Yes, if a contender gains something and loses nothing. */
export function advise(q: Question): Advice {
  const both = rivals(q).flatMap((name) => {
    const t = q.table.compare(q.caseId, wall.key, name, q.baseline);
    const m = q.table.compare(q.caseId, rss.key, name, q.baseline);
    if (t === null || m === null || t.outcome === 'unknown' || m.outcome === 'unknown') return [];
    const pair: [Metric, Comparison][] = [
      [wall, t],
      [rss, m],
    ];
    return [{ name, t, m, text: effects(pair), gain: 1 - Math.min(t.ratio, m.ratio) }];
  });
  if (both.length === 0) {
    const detail = whyUnknown(q, wall);
    return { answer: 'unknown', headline: 'The measurement is inconclusive.', detail };
  }
  const winners = both.filter(({ t, m }) => t.outcome === 'better' || m.outcome === 'better');
  const byTime = (a: (typeof both)[0], b: (typeof both)[0]): number => a.t.ratio - b.t.ratio;
  const free = winners.filter(
    ({ t, m, gain }) => t.outcome !== 'worse' && m.outcome !== 'worse' && gain >= smallGain,
  );
  const [best] = free.sort(byTime);
  const [trade] = winners.sort(byTime);
  if (trade === undefined) {
    const detail = `Nothing here is measurably faster or smaller than ${q.baseline}.`;
    return { answer: 'no', headline: `No: stay with ${q.baseline}.`, detail };
  }
  if (Math.max(...winners.map((w) => w.gain)) < smallGain) {
    const detail = `The largest gain: ${trade.name} takes ${trade.text}, compared with ${q.baseline}.`;
    return {
      answer: 'hardly',
      headline: `Hardly: every gain is below ${percent(smallGain)}.`,
      detail,
    };
  }
  if (best !== undefined) {
    const detail = `Compared with ${q.baseline}, it takes ${best.text}.`;
    return { answer: 'yes', headline: `Yes, to ${best.name}.`, detail };
  }
  const detail = `Every gain has a price. Compared with ${q.baseline}, ${trade.name} takes ${trade.text}.`;
  return {
    answer: 'trade',
    headline: 'Only if you trade time for memory, or memory for time.',
    detail,
  };
}

export interface Tally {
  readonly name: string;
  readonly better: number;
  readonly same: number;
  readonly worse: number;
  readonly unknown: number;
  readonly mean: number;
  readonly worst: { readonly label: string; readonly comparison: Comparison };
}

/** Each contender's results over many cases. There is no overall winner: rows are not equal. */
export function tally(q: Omit<Question, 'caseId'>, metric: string, cases: Table['cases']): Tally[] {
  return rivals({ ...q, caseId: '' }).flatMap((name) => {
    const rows = cases.flatMap((c) => {
      const comparison = q.table.compare(c.id, metric, name, q.baseline);
      return comparison === null ? [] : [{ label: c.label, comparison }];
    });
    const [worst] = [...rows].sort((a, b) => b.comparison.ratio - a.comparison.ratio);
    if (worst === undefined) return [];
    const count = (outcome: string): number =>
      rows.filter((r) => r.comparison.outcome === outcome).length;
    return [
      {
        name,
        better: count('better'),
        same: count('same'),
        worse: count('worse'),
        unknown: count('unknown'),
        mean: geometricMean(rows.map((r) => r.comparison.ratio)),
        worst,
      },
    ];
  });
}

/** One sentence about a goal over many cases: the contender with the lowest mean. */
export function summary(goal: Goal, lines: readonly Tally[], baseline: string): string {
  const [first] = [...lines].sort((a, b) => a.mean - b.mean);
  if (first === undefined) return `Nothing here can be compared with ${baseline}.`;
  const rows = first.better + first.same + first.worse + first.unknown;
  if (first.better === 0) {
    const none = lines.every((line) => line.better === 0);
    const nothing = `Nothing is measurably ${goal.better} than ${baseline} in any of ${rows} rows.`;
    if (none) return nothing;
  }
  const often = first.better === rows ? `all ${rows} rows` : `${first.better} of ${rows} rows`;
  const { label, comparison } = first.worst;
  const worst = first.worse > 0 ? `${goal.worse} in ${first.worse}` : `${goal.worse} in none`;
  const where = `its worst row is ${label} with ${factor(comparison.ratio)}`;
  return `${first.name} is measurably ${goal.better} than ${baseline} in ${often}, ${worst}; ${where}.`;
}
