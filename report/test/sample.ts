// Invented results of realistic shape, for tests and for looking at the page. They are not measured.
import { median, medianInterval, pairedRatios } from '../src/stats';

interface Row {
  suite: string;
  workload: string;
  params: Record<string, number>;
  contender: string;
  metric: string;
  unit: string;
  samples: number[];
}

const rounds = 11;
const machine = {
  cpu: 'invented, like all numbers here',
  cpus: 2,
  memory_bytes: 8_323_072_000,
  kernel: '6.1.0-40-amd64',
  os: 'Debian GNU/Linux 12 (bookworm)',
  libc: 'glibc 2.36',
  governor: 'performance',
  transparent_huge_pages: 'madvise',
};

const libraries = '/usr/lib/x86_64-linux-gnu';
const contenders = [
  { name: 'as-built', version: '2.36', library: `${libraries}/libc.so.6`, loaded: true },
  { name: 'glibc', version: '2.36', library: `${libraries}/libc.so.6`, loaded: true },
  {
    name: 'heapsmith',
    version: '0.1.0',
    library: 'build/release/libheapsmith_preload.so',
    loaded: true,
  },
  {
    name: 'jemalloc-debian',
    version: '5.3.0',
    library: `${libraries}/libjemalloc.so.2`,
    loaded: true,
  },
  {
    name: 'mimalloc-debian',
    version: '2.0.9',
    library: `${libraries}/libmimalloc.so.2.0`,
    loaded: true,
  },
  {
    name: 'gperftools',
    version: '2.10',
    library: `${libraries}/libtcmalloc_minimal.so.4`,
    loaded: true,
  },
  {
    name: 'tbbmalloc',
    version: '2021.8',
    library: `${libraries}/libtbbmalloc_proxy.so.2`,
    loaded: true,
  },
];

/** Time, memory and page faults relative to glibc. */
const character: Record<string, readonly [number, number, number]> = {
  'as-built': [1, 1, 1],
  'glibc': [1.001, 1.002, 1.003],
  'heapsmith': [0.885, 0.97, 0.82],
  'jemalloc-debian': [0.91, 1.09, 1.31],
  'mimalloc-debian': [0.893, 1.16, 1.2],
  'gperftools': [0.93, 1.11, 0.96],
  'tbbmalloc': [0.975, 1.42, 1.7],
};

/** A small generator with a fixed seed, so that the sample is always the same. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = generator(20_240_607);

function noisy(value: number, noise: number, whole: boolean): number {
  // Times have a long upper tail: a disturbance makes a round slower, never faster.
  const tail = random() < 0.08 ? random() * noise * 6 : 0;
  const result = value * (1 + (random() + random() - 1) * noise + tail);
  return whole ? Math.round(result) : Number(result.toPrecision(7));
}

function measure(
  suite: string,
  workload: string,
  params: Record<string, number>,
  size: number,
): Row[] {
  const spread = suite === 'heap' ? 0.22 : 0;
  return contenders.flatMap(({ name }) => {
    const [time, memory, faults] = character[name] ?? [1, 1, 1];
    const own = (): number => (name === 'as-built' ? 1 : 1 + (random() - 0.5) * spread);
    const threads = params['threads'] ?? 1;
    const wall = 4.2 * size * time * own();
    const rss = 61e6 * size * memory * own() * (1 + threads / 20);
    const row = (metric: string, unit: string, value: number, noise: number): Row => {
      const whole = unit !== 's';
      const samples = Array.from({ length: rounds }, () => noisy(value, noise, whole));
      return { suite, workload, params, contender: name, metric, unit, samples };
    };
    return [
      row('wall_s', 's', wall, 0.012),
      row('cpu_s', 's', wall * 0.98 * Math.min(threads, 2), 0.008),
      row('peak_rss_bytes', 'bytes', rss, 0.002),
      row('page_faults', 'faults', 15_200 * size * faults * own(), 0.004),
    ];
  });
}

function instructions(): Row[] {
  const counts: Record<string, number> = {
    'glibc': 129,
    'heapsmith': 31,
    'jemalloc-debian': 66,
    'mimalloc-debian': 41,
    'gperftools': 58,
    'tbbmalloc': 92,
  };
  return [16, 64, 256, 1024, 8192].flatMap((bytes) =>
    Object.entries(counts).map(([contender, count]) => ({
      suite: 'instructions',
      workload: 'malloc+free pair',
      params: { bytes },
      contender,
      metric: 'instructions',
      unit: 'instructions',
      samples: [Math.round(count * (bytes > 1024 ? 1.6 : 1))],
    })),
  );
}

const command = 'heapsmith try -- g++ -O2 -c large.cpp -o /dev/null';

function sampleRecord(row: Row): Record<string, unknown> {
  const { samples, ...rest } = row;
  const interval = medianInterval(samples);
  const known = contenders.find((c) => c.name === row.contender);
  return {
    kind: 'sample',
    ...rest,
    version: known?.version,
    better: 'lower',
    n: samples.length,
    median: median(samples),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    samples,
    machine,
    command,
    ...(row.suite === 'try' ? { loaded: known?.loaded, library: known?.library } : {}),
  };
}

function ratioRecord(row: Row, rows: readonly Row[]): Record<string, unknown>[] {
  const baseline = row.suite === 'try' ? 'as-built' : 'glibc';
  const other = rows.find(
    (r) =>
      r.contender === baseline &&
      r.metric === row.metric &&
      r.suite === row.suite &&
      r.workload === row.workload &&
      JSON.stringify(r.params) === JSON.stringify(row.params),
  );
  const ratios =
    other?.samples.length !== row.samples.length ? null : pairedRatios(row.samples, other.samples);
  const interval = ratios === null ? null : medianInterval(ratios);
  if (ratios === null || interval === null) return [];
  const { suite, workload, params, metric, contender } = row;
  const verdict =
    interval.high < 1 ? 'better' : interval.low > 1 ? 'worse' : 'no measurable difference';
  const values = { n: ratios.length, median: median(ratios), ...interval, verdict };
  return [{ kind: 'ratio', suite, workload, params, metric, contender, baseline, ...values }];
}

function file(rows: readonly Row[], failures: readonly unknown[]): Record<string, unknown> {
  const ratios = rows.flatMap((row) => ratioRecord(row, rows));
  const records = [...rows.map(sampleRecord), ...ratios];
  const created = '2025-06-07T09:41:00Z';
  return { version: 2, command, created, machine, contenders, records, failures };
}

/** The program died in the fifth round under one contender. Its earlier rounds remain. */
const tried = measure('try', 'g++', {}, 1).map((row) =>
  row.contender === 'tbbmalloc' ? { ...row, samples: row.samples.slice(0, 4) } : row,
);

/** One program under every contender. It failed under one of them. */
export const tryOnly = file(tried, [
  {
    suite: 'try',
    workload: 'g++',
    params: {},
    contender: 'tbbmalloc',
    exit: null,
    signal: 'SIGSEGV',
    why: 'killed by SIGSEGV',
    stderr_tail: 'cc1plus: internal compiler error: Segmentation fault\n<stdin>: stopped.',
  },
]);

const workloads: [string, readonly number[], number][] = [
  ['tiny-objects', [1], 0.5],
  ['server-heirs', [1, 2, 5, 10], 0.8],
  ['producer-consumer', [2, 10], 0.7],
  ['random-slots', [1, 10], 1.4],
  ['grow', [1], 0.3],
  ['large-blocks', [1, 10], 0.9],
  ['strings-map', [1, 5], 1.1],
  ['small-process', [1], 0.0004],
];

const suite = workloads.flatMap(([name, threads, size]) =>
  threads.flatMap((t) => measure('heap', name, { threads: t }, size)),
);

/** The workloads of the heap suite and the instruction counts. */
export const suiteOnly = file(
  [...suite.filter((r) => r.contender !== 'as-built'), ...instructions()],
  [],
);

/** Everything at once. */
export const full = file([...tried, ...suite, ...instructions()], tryOnly['failures'] as unknown[]);
