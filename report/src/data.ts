// The embedded results: their types, and a parser that reports the exact fault of a bad file.

export type Better = 'lower' | 'higher';
export type Params = Readonly<Record<string, string | number | boolean>>;
export type Facts = Readonly<Record<string, unknown>>;

/** A 95 % interval; null if there were too few rounds. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A workload with its suite and parameters. */
export interface Place {
  readonly suite: string;
  readonly workload: string;
  readonly params: Params;
}

interface Row extends Place {
  readonly metric: string;
  readonly contender: string;
  readonly n: number;
  readonly median: number;
  readonly interval: Interval | null;
}

/** The values of one contender in one workload, for one metric. */
export interface Sample extends Row {
  readonly kind: 'sample';
  readonly version: string;
  readonly unit: string;
  readonly better: Better;
  /** One value for each round, in order. Equal indices of two contenders make a pair. */
  readonly samples: readonly number[];
  readonly loaded: boolean | null;
}

/** The median of the ratios contender / baseline of each round, as the command computed it. */
export interface Ratio extends Row {
  readonly kind: 'ratio';
  readonly baseline: string;
  readonly verdict: string;
}

export interface Contender {
  readonly name: string;
  readonly version: string;
  readonly library: string | null;
  /** True or false if proven; null if there was nothing to prove. */
  readonly loaded: boolean | null;
}

export interface Failure {
  readonly contender: string;
  /** The workload that failed; null if the file names none, so every workload counts as failed. */
  readonly where: Place | null;
  readonly exit: number | null;
  readonly signal: string | null;
  /** The cause in the command's own words; empty if it gave none. */
  readonly why: string;
  readonly stderrTail: string;
}

export interface Results {
  readonly command: string;
  readonly created: string;
  readonly machine: Facts;
  readonly contenders: readonly Contender[];
  readonly samples: readonly Sample[];
  readonly ratios: readonly Ratio[];
  readonly failures: readonly Failure[];
}

/** The file does not follow the schema. The message names the position. */
export class DataError extends Error {
  constructor(where: string, expected: string, got: unknown) {
    const shown = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 60);
    super(`${where}: expected ${expected}, found ${shown}`);
    this.name = 'DataError';
  }
}

type Json = Record<string, unknown>;

function object(value: unknown, where: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DataError(where, 'an object', value);
  }
  return value as Json;
}

function array(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new DataError(where, 'an array', value);
  return value;
}

function text(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new DataError(where, 'a string', value);
  return value;
}

function number(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new DataError(where, 'a finite number', value);
  }
  return value;
}

/** Parses a member that may be absent or null. */
function optional<T>(value: unknown, where: string, parse: (v: unknown, w: string) => T): T | null {
  return value === undefined || value === null ? null : parse(value, where);
}

function boolean(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw new DataError(where, 'true or false', value);
  return value;
}

function params(value: unknown, where: string): Params {
  const found = object(value ?? {}, where);
  const out: Record<string, string | number | boolean> = {};
  for (const [key, v] of Object.entries(found)) {
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
  const better = row['better'];
  if (better !== 'lower' && better !== 'higher') {
    throw new DataError(`${where}.better`, '"lower" or "higher"', better);
  }
  return {
    ...shared(row, where),
    kind: 'sample',
    version: optional(row['version'], `${where}.version`, text) ?? '',
    unit: text(row['unit'], `${where}.unit`),
    better,
    // A contender that has failed has no value from then on, so the pairs of others keep their order.
    samples: array(row['samples'], `${where}.samples`).flatMap((v, i) =>
      v === null ? [] : [number(v, `${where}.samples[${i}]`)],
    ),
    loaded: optional(row['loaded'], `${where}.loaded`, boolean),
  };
}

function ratio(row: Json, where: string): Ratio {
  return {
    ...shared(row, where),
    kind: 'ratio',
    baseline: text(row['baseline'], `${where}.baseline`),
    verdict: text(row['verdict'], `${where}.verdict`),
  };
}

function contender(value: unknown, where: string): Contender {
  const row = object(value, where);
  return {
    name: text(row['name'], `${where}.name`),
    version: optional(row['version'], `${where}.version`, text) ?? '',
    library: optional(row['library'], `${where}.library`, text),
    loaded: optional(row['loaded'], `${where}.loaded`, boolean),
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

/** A command line may be one string or a list of arguments. */
function commandLine(value: unknown, where: string): string {
  if (Array.isArray(value)) return value.map((v, i) => text(v, `${where}[${i}]`)).join(' ');
  return text(value, where);
}

/** Parses the text of the embedded element. Returns null for an empty template. */
export function parseResults(json: string): Results | null {
  const root: unknown = JSON.parse(json);
  if (root === null) return null;
  const file = object(root, 'results');
  if (file['version'] !== 2) throw new DataError('results.version', '2', file['version']);
  const samples: Sample[] = [];
  const ratios: Ratio[] = [];
  array(file['records'], 'records').forEach((value, i) => {
    const where = `records[${i}]`;
    const row = object(value, where);
    if (row['kind'] === 'sample') samples.push(sample(row, where));
    else if (row['kind'] === 'ratio') ratios.push(ratio(row, where));
    else throw new DataError(`${where}.kind`, '"sample" or "ratio"', row['kind']);
  });
  return {
    command: commandLine(file['command'], 'command'),
    created: text(file['created'], 'created'),
    machine: object(file['machine'] ?? {}, 'machine'),
    contenders: array(file['contenders'], 'contenders').map((v, i) =>
      contender(v, `contenders[${i}]`),
    ),
    samples,
    ratios,
    failures: array(file['failures'] ?? [], 'failures').map((v, i) => failure(v, `failures[${i}]`)),
  };
}
