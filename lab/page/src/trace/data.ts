// The types of the embedded traces: version 1 of the data that `heapsmith report` writes of traces.

/** The least and the most bytes in use, in steps of equal length. */
export interface Curve {
  readonly step: number;
  readonly most: readonly number[];
  readonly least: readonly number[];
  readonly blocks: readonly number[];
}

/** Counts by powers of two: entry n counts values from 2^(n-1) to 2^n - 1. */
export type ByPower = readonly number[];

export interface Bin {
  readonly calls: number;
  readonly sizes: ByPower;
  readonly lifetimes: ByPower;
}

/** The bins in which a site did something, and columns of as many numbers. */
export interface Series {
  readonly at: readonly number[];
  readonly calls: readonly number[];
  readonly bytes: readonly number[];
  readonly freed: readonly number[];
  /** Blocks that were freed, and how long they lived on average, in nanoseconds. */
  readonly ended: readonly number[];
  readonly lived: readonly number[];
  /** Bytes allocated then, and never freed. */
  readonly left: readonly number[];
}

export interface Site {
  /** The place of the call, then the functions into which it is inlined: indices of places. */
  readonly places: readonly number[];
  readonly calls: number;
  readonly bytes: number;
  readonly peak: number;
  readonly left: number;
  readonly inherited: number;
  readonly series: Series;
}

export interface Place {
  readonly name: string;
  readonly line: string;
  readonly module: string;
  /** No part of a system library. */
  readonly isOwn: boolean;
}

/** Node n (from 1) is a call from node `parent[n - 1]` in place `place[n - 1]`. */
export interface Stacks {
  readonly parent: readonly number[];
  readonly place: readonly number[];
  readonly stacks: readonly { site: number; node: number; samples: number }[];
  readonly isCut: boolean;
}

export interface Thread {
  readonly number: number;
  readonly calls: number;
  readonly bytes: number;
  readonly freedOfOthers: number;
  readonly at: readonly number[];
  readonly callsAt: readonly number[];
}

export interface Sums {
  readonly events: number;
  readonly calls: readonly (readonly [string, number])[];
  readonly failed: number;
  readonly allocatedBlocks: number;
  readonly allocatedBytes: number;
  readonly resizedInPlace: number;
  readonly resizedMoved: number;
  readonly threads: number;
  readonly freedByAnotherThread: number;
  readonly peakBytes: number;
  readonly peakBlocks: number;
  /** Nanoseconds from the first event. */
  readonly peak: number;
  readonly duration: number;
  readonly leftBlocks: number;
  readonly leftBytes: number;
  readonly inheritedBytes: number;
}

export interface Trace {
  /** The name of the file. */
  readonly name: string;
  readonly headline: string;
  readonly summary: readonly string[];
  /** Sentences about parts that the recording lacks. */
  readonly lacks: readonly string[];
  readonly command: string;
  readonly pid: number;
  readonly isAnonymous: boolean;
  readonly info: Sums;
  readonly curve: Curve;
  /** Bytes of the process in memory: nanoseconds, bytes. */
  readonly memory: readonly (readonly [number, number])[];
  /** The length of a bin, in nanoseconds. */
  readonly bin: number;
  readonly bins: readonly Bin[];
  readonly sites: readonly Site[];
  readonly others: Site | null;
  readonly otherSites: number;
  readonly places: readonly Place[];
  readonly stacks: Stacks;
  readonly threads: readonly Thread[];
  readonly otherThreads: number;
}

export const changed = ['calls', 'bytes', 'peak', 'left'] as const;
export type Changed = Readonly<
  Record<(typeof changed)[number], { readonly old: number; readonly new: number }>
>;

/** Two traces, compared by site. */
export interface Changes {
  readonly headline: string;
  readonly whole: Changed;
  readonly sites: readonly { readonly name: string; readonly numbers: Changed }[];
  readonly leftOut: number;
}

export interface Traces {
  readonly created: string;
  readonly traces: readonly Trace[];
  readonly changes: Changes | null;
}
