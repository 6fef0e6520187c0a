// The reader's choices, kept in the URL's hash so that a link shows the same view.

export type Scale = 'log' | 'linear';
export type Mode = 'absolute' | 'relative';
export type Theme = 'auto' | 'light' | 'dark';
/** A part of a time axis; null shows all of it. */
export type Range = readonly [from: number, to: number] | null;

export interface View {
  readonly baseline: string;
  /** The case that the charts show. */
  readonly case: string;
  readonly hidden: readonly string[];
  readonly scale: Scale;
  readonly mode: Mode;
  /** The metrics of the chart of time and memory. */
  readonly time: string;
  readonly memory: string;
  /** The metric of the heat map. */
  readonly heat: string;
  /** In seconds. */
  readonly range: Range;
  /** The recorded trace that is shown. */
  readonly trace: string;
  /** The part of its time, in milliseconds. */
  readonly span: Range;
  /** What its sites are sorted by, and the widths of the flame graph. */
  readonly by: 'bytes' | 'calls' | 'peak' | 'left' | 'lifetime';
  readonly sites: 'table' | 'flame';
  /** The outermost row of the flame graph: where the program starts, or where it allocates. */
  readonly flame: 'callers' | 'calls';
  readonly code: 'all' | 'own';
  /** A search text. */
  readonly find: string;
  readonly theme: Theme;
}

/** The choices that this file allows. A link made for another file must not break the page. */
export interface Choices {
  readonly baselines: readonly string[];
  readonly cases: readonly string[];
  readonly metrics: readonly string[];
  readonly traces: readonly string[];
}

function oneOf<T extends string>(value: string | null, allowed: readonly T[], usual: T): T {
  return allowed.find((v) => v === value) ?? usual;
}

/** `10-25.5` → [10, 25.5]; null if it is malformed or empty. */
function parseRange(value: string | null): Range {
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(value ?? '') ?? [];
  if (from === undefined || to === undefined || Number(from) >= Number(to)) return null;
  return [Number(from), Number(to)];
}

/** The view that a hash describes. Missing and malformed parts are taken from `usual`. */
export function parseHash(hash: string, usual: View, choices: Choices): View {
  const query = new URLSearchParams(hash.replace(/^#/, ''));
  const hidden = query.getAll('hide').filter((name) => choices.baselines.includes(name));
  return {
    baseline: oneOf(query.get('baseline'), choices.baselines, usual.baseline),
    case: oneOf(query.get('case'), choices.cases, usual.case),
    hidden: query.has('hide') ? [...new Set(hidden)] : usual.hidden,
    scale: oneOf(query.get('scale'), ['log', 'linear'], usual.scale),
    mode: oneOf(query.get('mode'), ['absolute', 'relative'], usual.mode),
    time: oneOf(query.get('time'), choices.metrics, usual.time),
    memory: oneOf(query.get('memory'), choices.metrics, usual.memory),
    heat: oneOf(query.get('heat'), choices.metrics, usual.heat),
    range: parseRange(query.get('range')),
    trace: oneOf(query.get('trace'), choices.traces, usual.trace),
    span: parseRange(query.get('span')),
    by: oneOf(query.get('by'), ['bytes', 'calls', 'peak', 'left', 'lifetime'], usual.by),
    sites: oneOf(query.get('sites'), ['table', 'flame'], usual.sites),
    flame: oneOf(query.get('flame'), ['callers', 'calls'], usual.flame),
    code: oneOf(query.get('code'), ['all', 'own'], usual.code),
    find: query.get('find') ?? usual.find,
    theme: oneOf(query.get('theme'), ['auto', 'light', 'dark'], usual.theme),
  };
}

const ofResults = ['baseline', 'case', 'scale', 'mode', 'time', 'memory', 'heat'] as const;
const ofTraces = ['trace', 'by', 'sites', 'flame', 'code', 'find'] as const;
const words = [...ofResults, ...ofTraces, 'theme'] as const;
/** A choice that is one word. */
export type Word = (typeof words)[number];

/** The shortest hash that restores `view`: it stores only the differences from `usual`. */
export function formatHash(view: View, usual: View): string {
  const query = new URLSearchParams();
  for (const key of words) {
    if (view[key] !== usual[key]) query.set(key, view[key]);
  }
  if (view.range !== null) query.set('range', view.range.join('-'));
  if (view.span !== null) query.set('span', view.span.join('-'));
  for (const name of view.hidden) query.append('hide', name);
  const text = query.toString();
  return text === '' ? '' : `#${text}`;
}

/** Holds the view and notifies its listeners of every change. */
export class Store {
  private readonly listeners: ((view: View) => void)[] = [];

  constructor(private current: View) {}

  get view(): View {
    return this.current;
  }

  /** Calls `listener` now and after every change. */
  watch(listener: (view: View) => void): void {
    this.listeners.push(listener);
    listener(this.current);
  }

  set(change: Partial<View>): void {
    this.current = { ...this.current, ...change };
    for (const listener of this.listeners) listener(this.current);
  }

  toggle(name: string): void {
    const hidden = this.current.hidden;
    const without = hidden.filter((other) => other !== name);
    this.set({ hidden: without.length < hidden.length ? without : [...hidden, name] });
  }
}
