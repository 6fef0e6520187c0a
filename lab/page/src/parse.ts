// The parser of the embedded results. It names the exact fault of a file that it refuses.
import { codeAdvice } from './parse_advice';
import { kinds, outcomes } from './data';
import type {
  Contender,
  Curve,
  Failure,
  Interval,
  Judged,
  Judgement,
  Params,
  Place,
  Process,
  Published,
  Ratio,
  Results,
  Row,
  Sample,
} from './data';
import { DataError, boolean, each, eachIfAny, number, object, optional, text, word } from './json';
import type { Json } from './json';

function params(value: unknown, where: string): Params {
  const out: Record<string, string | number | boolean> = {};
  for (const [key, v] of Object.entries(object(value ?? {}, where))) {
    if (typeof v !== 'string' && typeof v !== 'number' && typeof v !== 'boolean') {
      throw new DataError(`${where}.${key}`, 'a string, number or boolean', v);
    }
    out[key] = v;
  }
  return out;
}

function interval(row: Json, where: string): Interval | null {
  const low = optional(row['low'], `${where}.low`, number);
  const high = optional(row['high'], `${where}.high`, number);
  if (low === null || high === null) return null;
  if (low > high) throw new DataError(`${where}.low`, 'at most high', low);
  return { low, high };
}

function place(row: Json, where: string): Place {
  return {
    suite: text(row['suite'], `${where}.suite`),
    workload: text(row['workload'], `${where}.workload`),
    params: params(row['params'], `${where}.params`),
  };
}

function shared(row: Json, where: string): Row {
  return {
    ...place(row, where),
    metric: text(row['metric'], `${where}.metric`),
    contender: text(row['contender'], `${where}.contender`),
    n: number(row['n'], `${where}.n`),
    median: number(row['median'], `${where}.median`),
    interval: interval(row, where),
  };
}

function sample(row: Json, where: string): Sample {
  return {
    ...shared(row, where),
    version: optional(row['version'], `${where}.version`, text) ?? '',
    unit: text(row['unit'], `${where}.unit`),
    better: word(row['better'], `${where}.better`, ['lower', 'higher']),
    samples: each(row['samples'], `${where}.samples`, (v, w) => optional(v, w, number)),
    loaded: optional(row['loaded'], `${where}.loaded`, boolean),
  };
}

function ratio(row: Json, where: string): Ratio {
  return { ...shared(row, where), baseline: text(row['baseline'], `${where}.baseline`) };
}

/** A setting is a pair of name and value. */
function setting(value: unknown, where: string): string {
  return each(value, where, text).join('=');
}

function contender(value: unknown, where: string): Contender {
  const row = object(value, where);
  return {
    name: text(row['name'], `${where}.name`),
    version: optional(row['version'], `${where}.version`, text) ?? '',
    library: optional(row['library'], `${where}.library`, text),
    loaded: optional(row['loaded'], `${where}.loaded`, boolean),
    settings: eachIfAny(row['settings'], `${where}.settings`, setting),
  };
}

function failure(value: unknown, where: string): Failure {
  const row = object(value, where);
  const signal = row['signal'];
  return {
    contender: text(row['contender'], `${where}.contender`),
    where: row['workload'] === undefined ? null : place(row, where),
    exit: optional(row['exit'], `${where}.exit`, number),
    signal: typeof signal === 'number' ? `${signal}` : optional(signal, `${where}.signal`, text),
    why: optional(row['why'], `${where}.why`, text) ?? '',
    stderrTail: optional(row['stderr_tail'], `${where}.stderr_tail`, text) ?? '',
  };
}

function judged(value: unknown, where: string): Judged {
  const row = object(value, where);
  return {
    ...place(row, where),
    contender: text(row['contender'], `${where}.contender`),
    baseline: text(row['baseline'], `${where}.baseline`),
    metric: text(row['metric'], `${where}.metric`),
    n: number(row['n'], `${where}.n`),
    median: optional(row['median'], `${where}.median`, number),
    interval: interval(row, where),
    outcome: word(row['outcome'], `${where}.outcome`, outcomes),
  };
}

function judgement(value: unknown, where: string): Judgement {
  const row = object(value, where);
  return {
    kind: word(row['kind'], `${where}.kind`, kinds),
    headline: text(row['headline'], `${where}.headline`),
    advice: optional(row['advice'], `${where}.advice`, (v, w) => {
      const advice = object(v, w);
      return {
        contender: text(advice['contender'], `${w}.contender`),
        line: optional(advice['line'], `${w}.line`, text) ?? '',
        note: optional(advice['note'], `${w}.note`, text) ?? '',
      };
    }),
    remedy: optional(row['remedy'], `${where}.remedy`, text) ?? '',
    goals: each(row['goals'], `${where}.goals`, (v, w) => {
      const goal = object(v, w);
      return {
        goal: text(goal['goal'], `${w}.goal`),
        contender: optional(goal['contender'], `${w}.contender`, text),
        outcome: word(goal['outcome'], `${w}.outcome`, outcomes),
        sentence: text(goal['sentence'], `${w}.sentence`),
      };
    }),
    comparisons: each(row['comparisons'], `${where}.comparisons`, judged),
    smallestGain: optional(row['smallest_gain'], `${where}.smallest_gain`, number),
    confidence: optional(row['confidence'], `${where}.confidence`, number),
    compared: optional(row['compared'], `${where}.compared`, number),
  };
}

function curve(value: unknown, where: string): Curve {
  const row = object(value, where);
  const times = each(row['t_s'], `${where}.t_s`, number);
  const values = each(row['values'], `${where}.values`, number);
  if (times.length !== values.length) {
    throw new DataError(`${where}.values`, `${times.length} values, as many as t_s`, values.length);
  }
  return {
    ...place(row, where),
    contender: text(row['contender'], `${where}.contender`),
    run: number(row['run'], `${where}.run`),
    unit: text(row['unit'], `${where}.unit`),
    metric: text(row['metric'], `${where}.metric`),
    times,
    values,
  };
}

function processOf(value: unknown, where: string): Process {
  const row = object(value, where);
  return {
    contender: text(row['contender'], `${where}.contender`),
    pid: optional(row['pid'], `${where}.pid`, number),
    program: text(row['program'], `${where}.program`),
    library: optional(row['library'], `${where}.library`, text) ?? '',
    version: optional(row['version'], `${where}.version`, text) ?? '',
    allocates: optional(row['allocates'], `${where}.allocates`, boolean),
  };
}

function published(value: unknown, where: string): Published {
  const row = object(value, where);
  return {
    ...place(row, where),
    metric: text(row['metric'], `${where}.metric`),
    unit: text(row['unit'], `${where}.unit`),
    contender: text(row['contender'], `${where}.contender`),
    value: number(row['value'], `${where}.value`),
    source: text(row['source'], `${where}.source`),
  };
}

/** A command line may be one string or a list of arguments. */
function commandLine(value: unknown, where: string): string {
  return Array.isArray(value) ? each(value, where, text).join(' ') : text(value, where);
}

/** Parses the text of the embedded element. Returns null for an empty template. */
export function parseResults(json: string): Results | null {
  const root: unknown = JSON.parse(json);
  if (root === null) return null;
  const file = object(root, 'results');
  if (file['version'] !== 2) throw new DataError('results.version', '2', file['version']);
  const samples: Sample[] = [];
  const ratios: Ratio[] = [];
  each(file['records'], 'records', (value, where) => {
    const row = object(value, where);
    const kind = word(row['kind'], `${where}.kind`, ['sample', 'ratio']);
    if (kind === 'sample') samples.push(sample(row, where));
    else ratios.push(ratio(row, where));
  });
  return {
    command: commandLine(file['command'], 'command'),
    created: text(file['created'], 'created'),
    machine: object(file['machine'] ?? {}, 'machine'),
    contenders: each(file['contenders'], 'contenders', contender),
    samples,
    ratios,
    failures: eachIfAny(file['failures'], 'failures', failure),
    verdict: optional(file['verdict'], 'verdict', judgement),
    curves: eachIfAny(file['curves'], 'curves', curve),
    proof: eachIfAny(file['proof'], 'proof', processOf),
    advice: eachIfAny(file['advice'], 'advice', codeAdvice),
    published: eachIfAny(file['published'], 'published', published),
  };
}
