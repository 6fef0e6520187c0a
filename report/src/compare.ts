// Looks results up by case and contender, and compares a contender with a baseline.
import type { Better, Interval, Params, Place, Ratio, Results, Sample } from './data';
import { median, medianInterval, pairedRatios } from './stats';

/** One thing that was run: a workload with its parameters. */
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

/** One key of several names; NUL cannot occur in a command line, so no two keys collide. */
function keyOf(...names: string[]): string {
  return names.join('\0');
}

/** An interval that contains 1 shows no difference; without an interval nothing is known. */
export function outcomeOf(interval: Interval | null, better: Better): Outcome {
  if (interval === null) return 'unknown';
  if (interval.low <= 1 && interval.high >= 1) return 'same';
  return interval.high < 1 === (better === 'lower') ? 'better' : 'worse';
}

/** The results, indexed. */
export class Table {
  readonly cases: readonly Case[];
  /** Every contender with results, in the order of the file. */
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

  /** Why a contender is not compared in this case; null: it is. */
  absence(caseId: string, metric: string, contender: string): string | null {
    if (this.failed.has(keyOf(caseId, contender))) return 'failed';
    const found = this.sample(caseId, metric, contender);
    if (found === null) return 'not measured';
    return found.loaded === false ? 'not loaded' : null;
  }

  /** The contenders that have results for this case, were really loaded and never failed in it. */
  present(caseId: string, metric: string): string[] {
    return this.contenders.filter((name) => this.absence(caseId, metric, name) === null);
  }

  private rounds(caseId: string, metric: string): number {
    return Math.max(...this.contenders.map((c) => this.sample(caseId, metric, c)?.n ?? 0));
  }

  /** Metrics of a case in the order of the file. */
  metrics(caseId: string): string[] {
    return [...(this.metricsOf.get(caseId) ?? [])];
  }

  /** The command's own comparison if the file holds it, else the same one from the raw rounds. */
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
    if ([name, baseline].some((who) => this.absence(caseId, metric, who) !== null)) return null;
    const given = this.ratios.get(keyOf(caseId, metric, name, baseline));
    if (given !== undefined) {
      const outcome = outcomeOf(given.interval, a.better);
      return { ratio: given.median, interval: given.interval, n: given.n, outcome };
    }
    // A contender that missed a round has fewer values, and nothing says which round it was.
    if (a.n < this.rounds(caseId, metric)) return null;
    const rounds = pairedRatios(a.samples, b.samples);
    if (rounds === null) return null;
    const interval = medianInterval(rounds);
    const outcome = outcomeOf(interval, a.better);
    return { ratio: median(rounds), interval, n: rounds.length, outcome };
  }
}

/** The baseline the command used most; else the program as it was built; else glibc. */
export function defaultBaseline(table: Table): string {
  const uses = new Map<string, number>();
  for (const r of table.results.ratios) uses.set(r.baseline, (uses.get(r.baseline) ?? 0) + 1);
  const [most] = [...uses].sort((a, b) => b[1] - a[1]);
  if (most !== undefined && table.contenders.includes(most[0])) return most[0];
  const usual = ['as-built', 'glibc'].find((name) => table.contenders.includes(name));
  return usual ?? table.contenders[0] ?? '';
}
