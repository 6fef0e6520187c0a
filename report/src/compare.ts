// Finds results by case and contender, and compares a contender with a baseline.
import type { Better, Interval, Params, Place, Ratio, Results, Sample } from './data';
import { median, medianInterval, pairedRatios } from './stats';

/** A workload with its parameters. */
export interface Case extends Place {
  readonly id: string;
  readonly label: string;
}

export type Outcome = 'better' | 'worse' | 'same' | 'unknown';

export interface Comparison {
  readonly ratio: number;
  readonly interval: Interval | null;
  readonly n: number;
  readonly outcome: Outcome;
}

export function caseLabel(workload: string, params: Params): string {
  const parts = Object.entries(params).map(([key, value]) =>
    key === 'threads' ? `${value} ${value === 1 ? 'thread' : 'threads'}` : `${key} ${value}`,
  );
  return [workload, ...parts].join(' · ');
}

function caseId(row: Place): string {
  const entries = Object.entries(row.params).sort(([a], [b]) => (a < b ? -1 : 1));
  return [row.suite, row.workload, ...entries.map(([k, v]) => `${k}=${v}`)].join('/');
}

/** Joins names to one key. A command line cannot contain NUL, so keys do not collide. */
function keyOf(...names: string[]): string {
  return names.join('\0');
}

/** `same` if the interval contains 1; `unknown` without an interval. */
export function outcomeOf(interval: Interval | null, better: Better): Outcome {
  if (interval === null) return 'unknown';
  if (interval.low <= 1 && interval.high >= 1) return 'same';
  return interval.high < 1 === (better === 'lower') ? 'better' : 'worse';
}

/** An index over the results. */
export class Table {
  readonly cases: readonly Case[];
  /** The contenders that have results, in the order of the file. */
  readonly contenders: readonly string[];
  private readonly samples = new Map<string, Sample>();
  private readonly metricsOf = new Map<string, Set<string>>();
  private readonly ratios = new Map<string, Ratio>();
  private readonly failed = new Set<string>();
  private readonly cache = new Map<string, Comparison | null>();

  constructor(readonly results: Results) {
    const cases = new Map<string, Case>();
    for (const s of results.samples) {
      const id = caseId(s);
      const label = caseLabel(s.workload, s.params);
      if (!cases.has(id)) {
        cases.set(id, { id, suite: s.suite, workload: s.workload, params: s.params, label });
      }
      this.samples.set(keyOf(id, s.metric, s.contender), s);
      this.metricsOf.set(id, (this.metricsOf.get(id) ?? new Set()).add(s.metric));
    }
    for (const r of results.ratios) {
      this.ratios.set(keyOf(caseId(r), r.metric, r.contender, r.baseline), r);
    }
    this.cases = [...cases.values()];
    for (const { contender, where } of results.failures) {
      const ids = where === null ? [...cases.keys()] : [caseId(where)];
      for (const id of ids) this.failed.add(keyOf(id, contender));
    }
    const measured = new Set(results.samples.map((s) => s.contender));
    const named = results.contenders.map((c) => c.name).filter((name) => measured.has(name));
    this.contenders = [...new Set([...named, ...measured])];
  }

  sample(caseId: string, metric: string, contender: string): Sample | null {
    return this.samples.get(keyOf(caseId, metric, contender)) ?? null;
  }

  /** Why a contender is not compared in this case; null if it is compared. */
  absence(caseId: string, metric: string, contender: string): string | null {
    if (this.failed.has(keyOf(caseId, contender))) return 'failed';
    const found = this.sample(caseId, metric, contender);
    if (found === null) return 'not measured';
    return found.loaded === false ? 'not loaded' : null;
  }

  /** The contenders that have results for this case, were loaded and did not fail in it. */
  present(caseId: string, metric: string): string[] {
    return this.contenders.filter((name) => this.absence(caseId, metric, name) === null);
  }

  private rounds(caseId: string, metric: string): number {
    return Math.max(...this.contenders.map((c) => this.sample(caseId, metric, c)?.n ?? 0));
  }

  /** The metrics of a case, in the order of the file. */
  metrics(caseId: string): string[] {
    return [...(this.metricsOf.get(caseId) ?? [])];
  }

  /** The command's comparison if the file has it; otherwise the same comparison from the rounds. */
  compare(caseId: string, metric: string, name: string, baseline: string): Comparison | null {
    const key = keyOf(caseId, metric, name, baseline);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const fresh = this.computeComparison(caseId, metric, name, baseline);
    this.cache.set(key, fresh);
    return fresh;
  }

  private computeComparison(
    caseId: string,
    metric: string,
    name: string,
    baseline: string,
  ): Comparison | null {
    const a = this.sample(caseId, metric, name);
    const b = this.sample(caseId, metric, baseline);
    if (a === null || b === null) return null;
    if ([name, baseline].some((c) => this.absence(caseId, metric, c) !== null)) return null;
    const given = this.ratios.get(keyOf(caseId, metric, name, baseline));
    if (given !== undefined) {
      const outcome = outcomeOf(given.interval, a.better);
      return { ratio: given.median, interval: given.interval, n: given.n, outcome };
    }
    // A contender that missed a round has fewer values, and the file does not say which round.
    if (a.n < this.rounds(caseId, metric)) return null;
    const rounds = pairedRatios(a.samples, b.samples);
    if (rounds === null) return null;
    const interval = medianInterval(rounds);
    const outcome = outcomeOf(interval, a.better);
    return { ratio: median(rounds), interval, n: rounds.length, outcome };
  }
}

/** The baseline that the command used most; otherwise `as-built`; otherwise glibc. */
export function defaultBaseline(table: Table): string {
  const uses = new Map<string, number>();
  for (const r of table.results.ratios) uses.set(r.baseline, (uses.get(r.baseline) ?? 0) + 1);
  const [most] = [...uses].sort((a, b) => b[1] - a[1]);
  if (most !== undefined && table.contenders.includes(most[0])) return most[0];
  const usual = ['as-built', 'glibc'].find((name) => table.contenders.includes(name));
  return usual ?? table.contenders[0] ?? '';
}
