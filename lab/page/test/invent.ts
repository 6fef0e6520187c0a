// Invented measurements of realistic shape, for tests and for looking at the page.
import { median, medianInterval, pairedRatios } from '../src/stats';
import { caseId } from '../src/places';

export interface Row {
  suite: string;
  workload: string;
  params: Record<string, number>;
  contender: string;
  metric: string;
  unit: string;
  samples: (number | null)[];
}

const rounds = 11;
export const machine = {
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
export const contenders = [
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
export const character: Record<string, readonly [number, number, number]> = {
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

export function measure(
  suite: string,
  workload: string,
  params: Record<string, number>,
  size: number,
  loudness = 1,
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
      const samples = Array.from({ length: rounds }, () => noisy(value, noise * loudness, whole));
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

export function instructions(): Row[] {
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

export function sampleRecord(row: Row, command: string): Record<string, unknown> {
  const { samples, ...rest } = row;
  const values = samples.filter((v) => v !== null);
  const interval = medianInterval(values);
  const known = contenders.find((c) => c.name === row.contender);
  return {
    kind: 'sample',
    ...rest,
    version: known?.version,
    better: 'lower',
    n: values.length,
    median: median(values),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    samples,
    machine,
    command,
    ...(row.suite === 'try' ? { loaded: known?.loaded, library: known?.library } : {}),
  };
}

/** The smallest gain that counts. */
const smallest = 0.01;

function outcomeOf({ low, high }: { low: number; high: number }): string {
  if (high < 1 - smallest / 2) return 'better';
  if (low > 1 + smallest / 2) return 'worse';
  return low > 1 - smallest && high < 1 + smallest ? 'equal' : 'unclear';
}

/** The comparison with the baseline of the same row, as the command would judge it. */
export function comparison(row: Row, rows: readonly Row[], baseline: string) {
  const other = rows.find(
    (r) => r.contender === baseline && r.metric === row.metric && caseId(r) === caseId(row),
  );
  const ratios = pairedRatios(row.samples, other?.samples ?? []);
  const interval = medianInterval(ratios);
  if (row.contender === baseline || interval === null) return [];
  const { suite, workload, params, metric, contender } = row;
  const place = { suite, workload, params, metric, contender, baseline };
  return [
    {
      ...place,
      n: ratios.length,
      median: median(ratios),
      ...interval,
      outcome: outcomeOf(interval),
    },
  ];
}

/** The memory of a server: it grows under load, drifts, and gives some memory back. */
export function curve(workload: string, contender: string, run: number, scale: number) {
  const [, memory = 1, keeps = 1] = character[contender] ?? [];
  const times: number[] = [];
  const values: number[] = [];
  for (let t = 0; t <= 120; t += 0.5) {
    const load =
      t < 20 ? t / 20 : t < 90 ? 1 + 0.06 * Math.sin(t / 4) + ((t - 20) / 400) * keeps : 0;
    const idle = 0.35 + 0.4 * Math.min(keeps, 1.6) * Math.exp(-(t - 90) / (6 * keeps));
    const level = (t < 90 ? load : idle) * memory * (1 + 0.01 * (random() - 0.5) + 0.01 * run);
    times.push(t);
    values.push(Math.round(4e6 + 180e6 * scale * level));
  }
  const place = { suite: 'try', workload, params: {}, contender, run };
  return { ...place, unit: 'bytes', metric: 'pss', t_s: times, values };
}

/** The memory metrics of a contender's curves, one value per run. */
export function memoryRows(curves: readonly ReturnType<typeof curve>[]): Row[] {
  const peak = (v: readonly number[]): number => Math.max(...v);
  const mean = (v: readonly number[]): number => v.reduce((a, b) => a + b, 0) / v.length;
  const at = (share: number) => (v: readonly number[]) =>
    v[Math.round(share * (v.length - 1))] ?? 0;
  const metrics: [string, string, (v: readonly number[]) => number][] = [
    ['pss_peak_bytes', 'bytes', peak],
    ['pss_mean_bytes', 'bytes', mean],
    ['pss_end_bytes', 'bytes', at(0.74)],
    ['pss_idle_bytes', 'bytes', at(1)],
    ['pss_slope_bytes_per_min', 'bytes/min', (v) => (at(0.7)(v) - at(0.3)(v)) / 0.8],
  ];
  const names = [...new Set(curves.map((c) => c.contender))];
  return names.flatMap((contender) => {
    const runs = curves.filter((c) => c.contender === contender);
    const { suite = '', workload = '', params = {} } = runs[0] ?? {};
    return metrics.map(([metric, unit, of]) => {
      const samples = runs.map((c) => Math.round(of(c.values)));
      return { suite, workload, params, contender, metric, unit, samples };
    });
  });
}
