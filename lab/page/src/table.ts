// Finds results by case, metric and contender. Outcomes come from the command's verdict alone.
import { hasRatio } from './metrics';
import { caseId, caseOf, toldApart, type Case } from './places';
import { median, medianInterval, pairedRatios } from './stats';
import type { Curve, Interval, Outcome, Results, Sample } from './data';

export interface Comparison {
  readonly ratio: number;
  readonly interval: Interval | null;
  readonly n: number;
  /** Null where the data has no outcome, as against another baseline than the command's. */
  readonly outcome: Outcome | null;
}

/** Joins names to one key. A command line cannot contain NUL, so keys do not collide. */
function keyOf(...names: string[]): string {
  return names.join('\0');
}

/** An index over the results. */
export class Table {
  readonly cases: readonly Case[];
  /** The contenders that have results, in the order of the file. */
  readonly contenders: readonly string[];
  private readonly samples = new Map<string, Sample>();
  private readonly metricsOf = new Map<string, Set<string>>();
  private readonly given = new Map<string, Comparison>();
  /** Outcomes, also of comparisons that have no ratio. */
  private readonly judged = new Map<string, Outcome>();
  private readonly failed = new Set<string>();
  private readonly curvesOf = new Map<string, Curve[]>();

  constructor(readonly results: Results) {
    const cases = new Map<string, Case>();
    for (const row of [...results.samples, ...results.curves]) {
      const found = caseOf(row);
      if (!cases.has(found.id)) cases.set(found.id, found);
    }
    this.cases = toldApart([...cases.values()]);
    for (const s of results.samples) {
      const id = caseId(s);
      this.samples.set(keyOf(id, s.metric, s.contender), s);
      this.metricsOf.set(id, (this.metricsOf.get(id) ?? new Set()).add(s.metric));
    }
    for (const c of results.curves) {
      const id = caseId(c);
      this.curvesOf.set(id, [...(this.curvesOf.get(id) ?? []), c]);
    }
    this.readComparisons(results);
    for (const { contender, where } of results.failures) {
      const ids = where === null ? [...cases.keys()] : [caseId(where)];
      for (const id of ids) this.failed.add(keyOf(id, contender));
    }
    const measured = [...results.samples, ...results.curves].map((s) => s.contender);
    const named = results.contenders.map((c) => c.name).filter((name) => measured.includes(name));
    this.contenders = [...new Set([...named, ...measured])];
  }

  private readComparisons({ ratios, verdict }: Results): void {
    for (const j of verdict?.comparisons ?? []) {
      const key = keyOf(caseId(j), j.metric, j.contender, j.baseline);
      this.judged.set(key, j.outcome);
      if (j.median === null) continue;
      this.given.set(key, { ratio: j.median, interval: j.interval, n: j.n, outcome: j.outcome });
    }
    for (const r of ratios) {
      const key = keyOf(caseId(r), r.metric, r.contender, r.baseline);
      if (this.given.has(key)) continue;
      const outcome = this.judged.get(key) ?? null;
      this.given.set(key, { ratio: r.median, interval: r.interval, n: r.n, outcome });
    }
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

  /** The metrics of a case, in the order of the file. */
  metrics(caseId: string): string[] {
    return [...(this.metricsOf.get(caseId) ?? [])];
  }

  curves(caseId: string): readonly Curve[] {
    return this.curvesOf.get(caseId) ?? [];
  }

  /** The command's comparison; against another baseline the bare ratio of the rounds. */
  compare(caseId: string, metric: string, name: string, baseline: string): Comparison | null {
    if ([name, baseline].some((c) => this.absence(caseId, metric, c) !== null)) return null;
    if (!hasRatio(metric)) return null;
    const key = keyOf(caseId, metric, name, baseline);
    const known = this.given.get(key);
    if (known !== undefined) return known;
    const a = this.sample(caseId, metric, name)?.samples ?? [];
    const b = this.sample(caseId, metric, baseline)?.samples ?? [];
    const rounds = pairedRatios(a, b);
    if (rounds.length === 0) return null;
    const interval = medianInterval(rounds);
    const fresh = {
      ratio: median(rounds),
      interval,
      n: rounds.length,
      outcome: this.judged.get(key) ?? null,
    };
    this.given.set(key, fresh);
    return fresh;
  }
}

/** The baseline that the verdict uses most; otherwise the ratios'; otherwise `as-built` or glibc. */
export function defaultBaseline({ results, contenders }: Table): string {
  const uses = new Map<string, number>();
  const rows = [...(results.verdict?.comparisons ?? []), ...results.ratios];
  for (const { baseline } of rows) uses.set(baseline, (uses.get(baseline) ?? 0) + 1);
  const [most] = [...uses].sort((a, b) => b[1] - a[1]);
  if (most !== undefined && contenders.includes(most[0])) return most[0];
  const usual = ['as-built', 'glibc'].find((name) => contenders.includes(name));
  return usual ?? contenders[0] ?? '';
}
