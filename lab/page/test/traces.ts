// Invented traces in version 1, for tests and for looking at the page. They are not recorded.

const bins = 64;
const binNs = 1e6;
const perBin = 4;

interface Part {
  places: number[];
  /** Blocks that are allocated and freed in each bin. */
  made: (bin: number) => number;
  freed: (bin: number) => number;
  size: number;
  lived: number;
}

function place(name: string, line: string, module: string, own: boolean) {
  return { name, line, module, is_own: own };
}

const places = [
  place('load_file(unsigned long)', 'load.cpp:19', 'app', true),
  place('std::allocator<…>::allocate', 'allocator.h:188', 'app', false),
  place('parse', 'parse.cpp:41', 'app', true),
  place('visit', 'visit.cpp:7', 'app', true),
  place('main', 'main.cpp:100', 'app', true),
  place('libc.so.6+0x2724a', '', 'libc.so.6', false),
  place('png_create', 'png.c:88', 'libpng16.so.16', false),
];

function parts(grown: number): Part[] {
  return [
    // A file that is read at once, and let go.
    {
      places: [0],
      made: (b) => Number(b === 2),
      freed: (b) => Number(b === 40),
      size: 6 << 20,
      lived: 38e6,
    },
    // A tree that grows, and is torn down at the end.
    {
      places: [1, 2],
      made: (b) => (b >= 4 && b < 36 ? 2000 * grown : 0),
      freed: (b) => (b >= 50 && b < 58 ? 8000 * grown : 0),
      size: 80,
      lived: 30e6,
    },
    // Blocks that come and go.
    {
      places: [1],
      made: (b) => (b > 20 ? 900 : 0),
      freed: (b) => (b > 20 ? 900 : 0),
      size: 512,
      lived: 2100,
    },
    // Some that nobody frees.
    { places: [6], made: (b) => Number(b % 16 === 5) * 40, freed: () => 0, size: 4096, lived: 0 },
  ];
}

function power(n: number): number {
  return n === 0 ? 0 : Math.floor(Math.log2(n)) + 1;
}

function site({ places: at, made, freed, size, lived }: Part) {
  const all = Array.from({ length: bins }, (_, b) => b).filter((b) => made(b) + freed(b) > 0);
  const column = (of: (b: number) => number): number[] => all.map(of);
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
  const left = sum(column(made)) - sum(column(freed));
  return {
    places: at,
    calls: sum(column(made)),
    bytes: sum(column(made)) * size,
    peak_blocks: 0,
    peak_bytes: 0,
    left_blocks: left,
    left_bytes: left * size,
    inherited_bytes: 0,
    series: {
      at: all,
      calls: column(made),
      bytes: column((b) => made(b) * size),
      freed: column((b) => freed(b) * size),
      ended: column(freed),
      lived: column((b) => (freed(b) > 0 ? lived : 0)),
      left: column((b) => (left === sum(column(made)) ? made(b) * size : 0)),
    },
  };
}

/** A trace whose tree is `grown` times as large as usual. */
export function trace(name: string, grown = 1) {
  const given = parts(grown);
  const sites = given.map(site);
  const live = sites.map(({ series }) => {
    const after: number[] = [];
    let now = 0;
    for (let b = 0; b < bins; b += 1) {
      const i = series.at.indexOf(b);
      now += (series.bytes[i] ?? 0) - (series.freed[i] ?? 0);
      after.push(now);
    }
    return after;
  });
  const inUse = Array.from({ length: bins }, (_, b) =>
    live.reduce((sum, l) => sum + (l[b] ?? 0), 0),
  );
  const peak = Math.max(...inUse);
  const at = inUse.indexOf(peak);
  for (const [i, s] of sites.entries()) s.peak_bytes = live[i]?.[at] ?? 0;
  const ofBins = inUse.map((_, b) => {
    const [sizes, lifetimes] = [new Array<number>(28).fill(0), new Array<number>(28).fill(0)];
    for (const { made, freed, size, lived } of given) {
      sizes[power(size)] = (sizes[power(size)] ?? 0) + made(b);
      lifetimes[power(lived)] = (lifetimes[power(lived)] ?? 0) + freed(b);
    }
    const calls = given.reduce((sum, p) => sum + p.made(b) + p.freed(b), 0);
    return { calls, sizes, lifetimes };
  });
  const steps = inUse.flatMap((n) => new Array<number>(perBin).fill(n));
  const total = (key: 'calls' | 'bytes' | 'left_bytes'): number =>
    sites.reduce((sum, s) => sum + s[key], 0);
  return {
    name,
    headline: `${name} had at most ${(peak / 2 ** 20).toFixed(1)} MiB of memory in use.`,
    summary: ['It made many allocations.', '4 of 10 blocks were never freed.'],
    lacks: ['12 events are missing'],
    command: './app --input "a file"',
    pid: 4711,
    is_anonymous: false,
    info: {
      events: ofBins.reduce((sum, b) => sum + b.calls, 0),
      calls: [
        ['malloc', 1000],
        ['operator new', 70_000],
      ],
      failed: 0,
      allocated_blocks: total('calls'),
      allocated_bytes: total('bytes'),
      resized_in_place: 3,
      resized_moved: 4,
      threads: 2,
      freed_by_another_thread: 12,
      peak_bytes: peak,
      peak_blocks: 64_001,
      peak_ns: (at + 0.9) * binNs,
      duration_ns: bins * binNs,
      left_blocks: 160,
      left_bytes: total('left_bytes'),
      inherited_blocks: 0,
      inherited_bytes: 0,
    },
    curve: {
      step_ns: binNs / perBin,
      most: steps,
      least: steps.map((n, i) => (i % perBin === 0 ? (steps[i - 1] ?? 0) : n)),
      blocks: steps.map((n) => Math.round(n / 160)),
    },
    memory: [10, 30, 60].map((ms) => [ms * 1e6, peak * (1 + ms / 300)]),
    bin_ns: binNs,
    bins: ofBins,
    sites,
    others: site({ places: [], made: () => 1, freed: () => 1, size: 24, lived: 600 }),
    other_sites: 31,
    places,
    stacks: {
      // main → parse → allocate, main → visit → allocate, libc → main → load, png alone
      parent: [0, 1, 2, 3, 2, 5, 2, 0],
      place: [5, 4, 2, 1, 3, 1, 0, 6],
      stacks: [
        [0, 7, 1],
        [1, 4, 9],
        [2, 6, 3],
        [2, 4, 1],
        [3, 8, 2],
      ],
      is_cut: false,
    },
    threads: {
      list: [1, 2].map((number) => ({
        number,
        calls: 70_000 / number,
        bytes: 9e6 / number,
        freed_of_others: number === 2 ? 12 : 0,
        started_ns: null,
        ended_ns: null,
        at: number === 2 ? [30, 31, 32] : Array.from({ length: bins }, (_, b) => b),
        calls_at: number === 2 ? [4, 50, 3] : Array.from({ length: bins }, (_, b) => 10 * b),
      })),
      others: 3,
      of_others: { calls: 5, bytes: 6, freed_of_others: 7 },
    },
  };
}

const created = '2026-06-07T09:41:00Z';

export const one = { version: 1, created, traces: [trace('app.trace')], changes: null };

function change(old: number, now: number) {
  return { old, new: now };
}

const outer =
  'std::allocator<char>::allocate(unsigned long) (inlined into std::string::_M_create, parse)';

export const two = {
  version: 1,
  created,
  traces: [trace('old.trace'), trace('new.trace', 1.5)],
  changes: {
    headline: 'The peak went from 10.9 MiB to 13.3 MiB (+22.4 %).',
    whole: {
      calls: change(98_000, 130_000),
      bytes: change(30e6, 33e6),
      peak_bytes: change(11e6, 14e6),
      left_bytes: change(655_360, 655_360),
    },
    sites: [
      {
        name: `${outer} at parse.cpp`,
        calls: change(64_000, 96_000),
        bytes: change(5.12e6, 7.68e6),
        peak_bytes: change(5e6, 7.5e6),
        left_bytes: change(0, 0),
      },
      {
        name: 'cache in app',
        calls: change(12, 0),
        bytes: change(4096, 0),
        peak_bytes: change(0, 0),
        left_bytes: change(0, 900),
      },
    ],
    left_out: 7,
  },
};
