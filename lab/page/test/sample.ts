// Invented results in version 2, for tests and for looking at the page. They are not measured.
import { codeAdvice, file, goal, process } from './assemble';
import { growth, latencies, published } from './invent_courses';
import { contenders, curve, instructions, measure, memoryRows, type Row } from './invent';
import { replayed } from './invent_replay';

const compile = 'heapsmith try -- g++ -O2 -c large.cpp -o /dev/null';
const six = (rows: readonly Row[]): Row[] => rows.filter((r) => r.contender !== 'as-built');
const compiled = six(measure('try', 'g++', {}, 1));

/** One program under six allocators. */
export const program = file(
  compile,
  compiled,
  'glibc',
  {
    kind: 'switch',
    headline: 'Switch to heapsmith: it takes 12 % less time and 3.1 % less peak memory than glibc.',
    advice: {
      contender: 'heapsmith',
      line: 'LD_PRELOAD=/usr/local/lib/libheapsmith_preload.so g++ -O2 -c large.cpp -o /dev/null',
      note: '12 % less time (11–13 %) and 3.1 % less peak memory (2.9–3.3 %)',
    },
    goals: [
      goal(
        'fastest',
        'heapsmith',
        'better',
        'heapsmith takes 12 % less time than glibc; not measurably different from it: mimalloc-debian.',
      ),
      goal(
        'steadiest',
        null,
        'unclear',
        'The scatter of 11 rounds cannot tell the allocators apart.',
      ),
      goal(
        'smallest_at_peak',
        'heapsmith',
        'better',
        'heapsmith takes 3.1 % less peak memory than glibc.',
      ),
      goal('gives_back', null, 'missing', 'Memory over time was not sampled.'),
    ],
  },
  {
    proof: six(compiled)
      .filter((r) => r.metric === 'wall_s')
      .flatMap(({ contender }, i) => [
        process(contender, 4100 + 10 * i, '/usr/bin/g++', false),
        process(contender, 4101 + 10 * i, '/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus'),
        process(contender, 4102 + 10 * i, '/usr/bin/as'),
      ]),
  },
);

/** A program that was recorded and replayed, too. */
export const recorded = file(
  compile.replace('try', 'try --record'),
  [...measure('try', 'g++', {}, 1), ...replayed('g++')],
  'as-built',
  { kind: 'keep', headline: 'Keep as-built: no contender takes less time or memory.' },
);

/** The program died in the fifth round under one contender. Its earlier rounds remain. */
const crashed = measure('try', 'g++', {}, 1).map((row) =>
  row.contender === 'tbbmalloc'
    ? { ...row, samples: row.samples.map((v, i) => (i < 4 ? v : null)) }
    : row,
);
const stderr = 'cc1plus: internal compiler error: Segmentation fault\n<stdin>: stopped.';
const place = { suite: 'try', workload: 'g++', params: {}, exit: null };
const died = {
  ...place,
  contender: 'tbbmalloc',
  signal: 'SIGSEGV',
  why: 'killed by SIGSEGV',
  stderr_tail: stderr,
};

/** One program that failed under two contenders. */
export const failure = file(
  compile,
  crashed.filter((r) => r.contender !== 'gperftools'),
  'as-built',
  {
    kind: 'failure',
    headline:
      'g++ fails under tbbmalloc (killed by SIGSEGV) and gperftools (exit code 1), and works under 5 others.',
    remedy:
      'Run it once under gdb: LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libtbbmalloc_proxy.so.2 gdb --args g++ -O2 -c large.cpp',
    goals: [
      goal('fastest', 'heapsmith', 'better', 'heapsmith takes 12 % less time than as-built.'),
      goal(
        'smallest_at_peak',
        'heapsmith',
        'better',
        'heapsmith takes 3.0 % less peak memory than as-built.',
      ),
    ],
  },
  {
    failures: [
      died,
      {
        ...died,
        contender: 'gperftools',
        exit: 1,
        signal: null,
        why: 'exit code 1',
        stderr_tail: '',
      },
    ],
  },
);

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

const heap = six(
  workloads.flatMap(([name, threads, size]) =>
    threads.flatMap((t) => measure('heap', name, { threads: t }, size)),
  ),
);

/** A suite of many workloads, and instruction counts. */
export const suite = file('./dev bench heap', [...heap, ...instructions()], 'glibc', {
  kind: 'suite',
  headline:
    'Of 15 workloads, heapsmith is measurably faster than glibc in 11, but slower in 1 (strings-map · 5 threads: 2.1 % more time), and smaller at its peak in 9.',
  goals: [
    goal(
      'fastest',
      'heapsmith',
      'better',
      'heapsmith is measurably faster than glibc in 11 of 15 workloads, but slower in 1 (strings-map · 5 threads: 2.1 % more time).',
    ),
    goal(
      'smallest_at_peak',
      null,
      'equal',
      'None shows an allocator measurably smaller everywhere.',
    ),
  ],
});

const served = 'redis-server';
const curves = contenders.flatMap(({ name }) =>
  [1, 2, 3, 4, 5, 6].map((run) => curve(served, name, run, 1)),
);
const loads = measure('try', served, {}, 2.2).map((r) =>
  r.metric === 'wall_s' ? { ...r, metric: 'load_s' } : r,
);

/** A server with its memory over time. */
export const server = file(
  "heapsmith try --ready 7391 --load 'redis-benchmark -p 7391 -n 200000 -q' -- redis-server --port 7391",
  [...loads, ...memoryRows(curves)],
  'as-built',
  {
    kind: 'trade',
    headline:
      'Every gain has a price: heapsmith takes 12 % less time and 3.4 % less memory on average than as-built, but 8.2 % more memory in the end.',
    advice: {
      contender: 'heapsmith',
      line: 'LD_PRELOAD=/usr/local/lib/libheapsmith_preload.so redis-server --port 7391',
      note: 'only if the gain is worth the loss',
    },
    goals: [
      goal('fastest', 'heapsmith', 'better', 'heapsmith takes 12 % less time than as-built.'),
      goal(
        'steadiest',
        null,
        'unclear',
        'The scatter of 11 rounds cannot tell the allocators apart.',
      ),
      goal(
        'smallest_at_peak',
        'heapsmith',
        'better',
        'heapsmith takes 3.6 % less peak memory than as-built.',
      ),
      goal(
        'smallest_on_average',
        'heapsmith',
        'better',
        'heapsmith takes 3.4 % less memory on average than as-built.',
      ),
      goal('gives_back', null, 'worse', 'Nothing is measurably smaller in the end than as-built.'),
    ],
  },
  {
    curves: curves.filter((c) => c.run <= 2),
    proof: contenders.flatMap(({ name }, i) => [
      process(name, 5200 + 10 * i, '/usr/bin/redis-server'),
      process(name, 5203 + 10 * i, '/usr/bin/redis-server (child that saves)'),
    ]),
    advice: [codeAdvice('redis-server')],
  },
);

/** Nothing could be decided. */
export const unclear = file(compile, six(measure('try', 'g++', {}, 1, 12)), 'glibc', {
  kind: 'cannot_tell',
  headline: 'Cannot tell: the rounds scatter by 13 %, and 11 rounds do not suffice.',
  remedy:
    'Measure more rounds (--rounds 60, or a larger --budget), on a quieter machine; `heapsmith doctor` lists possible causes.',
  goals: [
    goal('fastest', null, 'unclear', 'The rounds scatter by 13 %; a gain of 5 % would not show.'),
  ],
});

/** Everything at once: a program that failed, a suite, instruction counts and a server. */
export const full = file(
  compile,
  [
    ...crashed,
    ...measure('heap', 'grow', { threads: 1 }, 0.3),
    ...loads,
    ...memoryRows(curves),
    ...instructions(),
  ],
  'as-built',
  {
    kind: 'suite',
    headline: 'Of 3 workloads, none shows an allocator measurably faster than as-built everywhere.',
  },
  { failures: [died], curves: curves.filter((c) => c.run === 1) },
);

/** Latencies, and costs over a parameter. One contender failed in one of the cases. */
export const courses = file(
  './dev bench latency growth',
  [...latencies(), ...growth()],
  'glibc',
  { kind: 'suite', headline: 'Of 7 workloads, none shows an allocator faster everywhere.' },
  {
    failures: [{ ...died, suite: 'latency', workload: 'threads', params: { threads: 2 } }],
    published: published(),
  },
);
