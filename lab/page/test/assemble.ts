// Assembles invented measurements into a file of version 2.
import { comparison, contenders, machine, sampleRecord, type Row } from './invent';

export type Json = Record<string, unknown>;

interface Said {
  kind: string;
  headline: string;
  advice?: Json | null;
  remedy?: string | null;
  goals?: Json[];
}

interface More {
  failures?: readonly Json[];
  curves?: readonly Json[];
  proof?: readonly Json[];
  advice?: readonly Json[];
  published?: readonly Json[];
}

const judged = /^(wall_s|load_s|peak_rss_bytes|pss_(peak|mean|end|idle)_bytes)$/;

export function file(
  command: string,
  rows: readonly Row[],
  baseline: string,
  said: Said,
  more: More = {},
) {
  const all = rows.flatMap((row) => comparison(row, rows, baseline));
  const ratios = all.map(({ outcome, ...rest }) => ({ kind: 'ratio', ...rest, verdict: outcome }));
  const comparisons = all.filter((c) => judged.test(c.metric));
  const rules = { smallest_gain: 0.01, confidence: 0.95, compared: comparisons.length };
  const named = contenders.filter((c) => rows.some((r) => r.contender === c.name));
  return {
    version: 2,
    command,
    created: '2026-06-07T09:41:00Z',
    machine,
    contenders: named,
    records: [...rows.map((row) => sampleRecord(row, command)), ...ratios],
    failures: more.failures ?? [],
    verdict: { advice: null, remedy: null, goals: [], ...said, comparisons, ...rules },
    curves: more.curves ?? [],
    proof: more.proof ?? [],
    advice: more.advice ?? [],
    published: more.published ?? [],
  };
}

export function goal(
  name: string,
  contender: string | null,
  outcome: string,
  sentence: string,
): Json {
  return { goal: name, contender, outcome, sentence };
}

export function process(contender: string, pid: number, program: string, allocates = true): Json {
  const known = contenders.find((c) => c.name === contender);
  return { contender, pid, program, library: known?.library, version: known?.version, allocates };
}

/** Advice as `heapsmith advise --json` writes it: one change, and one malloc. */
export function codeAdvice(workload: string): Json {
  const share = (median: number) => ({ median, low: median - 0.01, high: median + 0.02 });
  const gain = { time: share(0.12), peak: share(-0.03) };
  const place = {
    caller: 7,
    name: 'parse at parse.cpp:42',
    file: 'parse.cpp',
    line: 42,
    source: 'node* made = new node(<text>);',
  };
  const piece = {
    title: 'an arena',
    places: [place],
    gain,
    seen: '1200 blocks, 96 KiB in all, allocated by one thread',
    safe_if: ['all blocks may end at the same moment'],
    not_verified: ['whether something still points to a block'],
    code: 'heapsmith::arena memory;\nmemory.reset();',
  };
  const mallocs = [{ name: 'jemalloc', line: 'LD_PRELOAD=libjemalloc.so.2 redis-server', gain }];
  const counts = { tried: [{}, {}], mallocs_tried: 3 };
  return { workload, advice: { pieces: [piece], together: null, mallocs, ...counts } };
}
