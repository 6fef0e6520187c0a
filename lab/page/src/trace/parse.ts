// The parser of the embedded traces. It names the exact fault of data that it refuses.
import { DataError, boolean, each, number, object, optional, text } from '../json';
import type { Json } from '../json';
import type { Bin, Changed, Changes, Curve, Place, Series, Site, Stacks } from './data';
import type { Sums, Thread, Trace, Traces } from './data';

function numbers(value: unknown, where: string): number[] {
  return each(value, where, number);
}

/** Columns that must be as long as `least`. */
function columns(row: Json, where: string, keys: readonly string[]): number[][] {
  const all = keys.map((key) => numbers(row[key], `${where}.${key}`));
  const [first] = all;
  for (const [i, column] of all.entries()) {
    if (column.length !== first?.length) {
      throw new DataError(`${where}.${keys[i] ?? ''}`, `${first?.length} numbers`, column.length);
    }
  }
  return all;
}

function curve(value: unknown, where: string): Curve {
  const row = object(value, where);
  const [most = [], least = [], blocks = []] = columns(row, where, ['most', 'least', 'blocks']);
  return { step: number(row['step_ns'], `${where}.step_ns`), most, least, blocks };
}

function bin(value: unknown, where: string): Bin {
  const row = object(value, where);
  return {
    calls: number(row['calls'], `${where}.calls`),
    sizes: numbers(row['sizes'], `${where}.sizes`),
    lifetimes: numbers(row['lifetimes'], `${where}.lifetimes`),
  };
}

function series(value: unknown, where: string): Series {
  const keys = ['at', 'calls', 'bytes', 'freed', 'ended', 'lived', 'left'];
  const all = columns(object(value, where), where, keys);
  const [at = [], calls = [], bytes = [], freed = [], ended = [], lived = [], left = []] = all;
  return { at, calls, bytes, freed, ended, lived, left };
}

function site(value: unknown, where: string): Site {
  const row = object(value, where);
  return {
    places: numbers(row['places'], `${where}.places`),
    calls: number(row['calls'], `${where}.calls`),
    bytes: number(row['bytes'], `${where}.bytes`),
    peak: number(row['peak_bytes'], `${where}.peak_bytes`),
    left: number(row['left_bytes'], `${where}.left_bytes`),
    inherited: number(row['inherited_bytes'], `${where}.inherited_bytes`),
    series: series(row['series'], `${where}.series`),
  };
}

function place(value: unknown, where: string): Place {
  const row = object(value, where);
  return {
    name: text(row['name'], `${where}.name`),
    line: text(row['line'], `${where}.line`),
    module: text(row['module'], `${where}.module`),
    isOwn: boolean(row['is_own'], `${where}.is_own`),
  };
}

function stacks(value: unknown, where: string): Stacks {
  const row = object(value, where);
  const [parent = [], at = []] = columns(row, where, ['parent', 'place']);
  // A parent comes before its children, so every walk to the root ends.
  for (const [i, p] of parent.entries()) {
    if (p > i) throw new DataError(`${where}.parent[${i}]`, `at most ${i}`, p);
  }
  return {
    parent,
    place: at,
    stacks: each(row['stacks'], `${where}.stacks`, (v, w) => {
      const [s = 0, node = 0, samples = 0] = numbers(v, w);
      return { site: s, node, samples };
    }),
    isCut: boolean(row['is_cut'], `${where}.is_cut`),
  };
}

function thread(value: unknown, where: string): Thread {
  const row = object(value, where);
  const [at = [], callsAt = []] = columns(row, where, ['at', 'calls_at']);
  return {
    number: number(row['number'], `${where}.number`),
    calls: number(row['calls'], `${where}.calls`),
    bytes: number(row['bytes'], `${where}.bytes`),
    freedOfOthers: number(row['freed_of_others'], `${where}.freed_of_others`),
    at,
    callsAt,
  };
}

function sums(value: unknown, where: string): Sums {
  const row = object(value, where);
  const of = (key: string): number => number(row[key], `${where}.${key}`);
  return {
    events: of('events'),
    calls: each(row['calls'], `${where}.calls`, (v, w) => {
      const [name, n] = each(v, w, (part) => part);
      return [text(name, w), number(n, w)] as const;
    }),
    failed: of('failed'),
    allocatedBlocks: of('allocated_blocks'),
    allocatedBytes: of('allocated_bytes'),
    resizedInPlace: of('resized_in_place'),
    resizedMoved: of('resized_moved'),
    threads: of('threads'),
    freedByAnotherThread: of('freed_by_another_thread'),
    peakBytes: of('peak_bytes'),
    peakBlocks: of('peak_blocks'),
    peak: of('peak_ns'),
    duration: of('duration_ns'),
    leftBlocks: of('left_blocks'),
    leftBytes: of('left_bytes'),
    inheritedBytes: of('inherited_bytes'),
  };
}

function trace(value: unknown, where: string): Trace {
  const row = object(value, where);
  const threads = object(row['threads'], `${where}.threads`);
  return {
    name: text(row['name'], `${where}.name`),
    headline: text(row['headline'], `${where}.headline`),
    summary: each(row['summary'], `${where}.summary`, text),
    lacks: each(row['lacks'], `${where}.lacks`, text),
    command: text(row['command'], `${where}.command`),
    pid: number(row['pid'], `${where}.pid`),
    isAnonymous: boolean(row['is_anonymous'], `${where}.is_anonymous`),
    info: sums(row['info'], `${where}.info`),
    curve: curve(row['curve'], `${where}.curve`),
    memory: each(row['memory'], `${where}.memory`, (v, w) => {
      const [at = 0, bytes = 0] = numbers(v, w);
      return [at, bytes] as const;
    }),
    bin: number(row['bin_ns'], `${where}.bin_ns`),
    bins: each(row['bins'], `${where}.bins`, bin),
    sites: each(row['sites'], `${where}.sites`, site),
    others: optional(row['others'], `${where}.others`, site),
    otherSites: number(row['other_sites'], `${where}.other_sites`),
    places: each(row['places'], `${where}.places`, place),
    stacks: stacks(row['stacks'], `${where}.stacks`),
    threads: each(threads['list'], `${where}.threads.list`, thread),
    otherThreads: number(threads['others'], `${where}.threads.others`),
  };
}

function changedOf(row: Json, where: string): Changed {
  const of = (key: string) => {
    const pair = object(row[key], `${where}.${key}`);
    const side = (name: string): number => number(pair[name], `${where}.${key}.${name}`);
    return { old: side('old'), new: side('new') };
  };
  return { calls: of('calls'), bytes: of('bytes'), peak: of('peak_bytes'), left: of('left_bytes') };
}

function changes(value: unknown, where: string): Changes {
  const row = object(value, where);
  return {
    headline: text(row['headline'], `${where}.headline`),
    whole: changedOf(object(row['whole'], `${where}.whole`), `${where}.whole`),
    sites: each(row['sites'], `${where}.sites`, (v, w) => {
      const of = object(v, w);
      return { name: text(of['name'], `${w}.name`), numbers: changedOf(of, w) };
    }),
    leftOut: number(row['left_out'], `${where}.left_out`),
  };
}

/** Parses the text of the embedded element. Returns null for an empty template. */
export function parseTraces(json: string): Traces | null {
  const root: unknown = JSON.parse(json);
  if (root === null) return null;
  const file = object(root, 'traces');
  if (file['version'] !== 1) throw new DataError('traces.version', '1', file['version']);
  return {
    created: text(file['created'], 'traces.created'),
    traces: each(file['traces'], 'traces.traces', trace),
    changes: optional(file['changes'], 'traces.changes', changes),
  };
}
