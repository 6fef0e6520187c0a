// The types of the embedded results: version 2 of the data that the command writes.

export type Better = 'lower' | 'higher';
export type Params = Readonly<Record<string, string | number | boolean>>;
export type Facts = Readonly<Record<string, unknown>>;

/** An interval around a median; null if there were too few rounds. */
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

export interface Row extends Place {
  readonly metric: string;
  readonly contender: string;
  readonly n: number;
  readonly median: number;
  readonly interval: Interval | null;
}

/** The values of one contender in one workload, for one metric. */
export interface Sample extends Row {
  readonly version: string;
  readonly unit: string;
  readonly better: Better;
  /** One value for each round, in order; null for a round that failed. */
  readonly samples: readonly (number | null)[];
  readonly loaded: boolean | null;
}

/** The median of the ratios contender / baseline of each round, as the command computed it. */
export interface Ratio extends Row {
  readonly baseline: string;
}

/** `equal`: the interval lies within the smallest gain. `unclear`: it is too wide. */
export const outcomes = ['better', 'worse', 'equal', 'unclear', 'missing'] as const;
export type Outcome = (typeof outcomes)[number];

export const kinds = ['switch', 'trade', 'keep', 'cannot_tell', 'failure', 'suite'] as const;

/** A ratio that the command judged. */
export interface Judged extends Place {
  readonly contender: string;
  readonly baseline: string;
  readonly metric: string;
  readonly n: number;
  readonly median: number | null;
  readonly interval: Interval | null;
  readonly outcome: Outcome;
}

export interface Advice {
  readonly contender: string;
  /** The line that the reader pastes into a terminal. */
  readonly line: string;
  readonly note: string;
}

export interface Goal {
  readonly goal: string;
  readonly contender: string | null;
  readonly outcome: Outcome;
  readonly sentence: string;
}

/** The command's verdict. The page prints it and decides nothing itself. */
export interface Judgement {
  readonly kind: (typeof kinds)[number];
  readonly headline: string;
  readonly advice: Advice | null;
  readonly remedy: string;
  readonly goals: readonly Goal[];
  readonly comparisons: readonly Judged[];
  readonly smallestGain: number | null;
  readonly confidence: number | null;
  /** The number of comparisons that the intervals are corrected for. */
  readonly compared: number | null;
}

export interface Contender {
  readonly name: string;
  readonly version: string;
  readonly library: string | null;
  /** True or false if proven; null if there was nothing to prove. */
  readonly loaded: boolean | null;
  /** Environment variables, as `NAME=value`. */
  readonly settings: readonly string[];
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

/** The memory of a process tree over time, in one run. */
export interface Curve extends Place {
  readonly contender: string;
  readonly run: number;
  readonly unit: string;
  readonly metric: string;
  /** Seconds since the start, rising. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** A process of the program, and the library that serves its `malloc`. */
export interface Process {
  readonly contender: string;
  readonly pid: number | null;
  readonly program: string;
  readonly library: string;
  readonly version: string;
  readonly allocates: boolean | null;
}

/** The gain of a change: shares of the program's time and of its peak. */
export interface Gain {
  readonly time: Spread;
  readonly peak: Spread;
}

export interface Spread extends Interval {
  readonly median: number;
}

export interface Spot {
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly source: string | null;
}

/** A change of the code that pays. */
export interface Piece {
  readonly title: string;
  readonly places: readonly Spot[];
  readonly gain: Gain;
  readonly seen: string;
  readonly safeIf: readonly string[];
  readonly notVerified: readonly string[];
  readonly code: string;
}

export interface OtherMalloc {
  readonly name: string;
  /** The line that runs the program with it. */
  readonly line: string;
  readonly gain: Gain;
}

/** Advice for the code of a workload. */
export interface CodeAdvice {
  readonly workload: string;
  readonly pieces: readonly Piece[];
  readonly together: Gain | null;
  readonly mallocs: readonly OtherMalloc[];
  readonly tried: number;
  readonly mallocsTried: number;
}

/** A figure that somebody else published, measured on another machine. */
export interface Published extends Place {
  readonly metric: string;
  readonly unit: string;
  readonly contender: string;
  readonly value: number;
  readonly source: string;
}

export interface Results {
  readonly command: string;
  readonly created: string;
  readonly machine: Facts;
  readonly contenders: readonly Contender[];
  readonly samples: readonly Sample[];
  readonly ratios: readonly Ratio[];
  readonly failures: readonly Failure[];
  readonly verdict: Judgement | null;
  readonly curves: readonly Curve[];
  readonly proof: readonly Process[];
  readonly advice: readonly CodeAdvice[];
  readonly published: readonly Published[];
}
