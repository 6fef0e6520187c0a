// An invented replay of a program, as `heapsmith try --record` writes it.
import { character, contenders, type Row } from './invent';

/** A replay of a program, and what it foretold; only two allocators tell where their memory is. */
export function replayed(workload: string): Row[] {
  const mib = 2 ** 20;
  return contenders.flatMap(({ name }) => {
    const place = { workload, params: {}, contender: name };
    const row = (suite: string, metric: string, unit: string, value: number): Row => ({
      ...place,
      suite,
      metric,
      unit,
      samples: [value],
    });
    const [time, memory] = character[name] ?? [1, 1, 1];
    const part = (key: string, value: number) =>
      row('replay', `at_peak_${key}_bytes`, 'bytes', value);
    const tells = name === 'heapsmith' || name === 'jemalloc-debian';
    const parts = tells
      ? [
          part('rounding', 3 * mib),
          part('threads', mib),
          part('spans', 4 * mib),
          part('kept', 2 * mib),
          part('others', mib / 2),
        ]
      : [part('unsplit', 12 * mib)];
    const foretold = [
      row('try', 'foretold_s', 's', 4.2 * (time + (name === 'tbbmalloc' ? 0.2 : 0.01))),
      row('try', 'foretold_peak_bytes', 'bytes', 61e6 * memory),
    ];
    const latency = ['p50', 'p99', 'p999', 'worst'].map((key, i) =>
      row('replay', `${key}_ns`, 'ns', 12 * time * 10 ** i),
    );
    const own = name === 'as-built' ? [] : foretold;
    return [
      row('replay', 'replay_s', 's', time),
      part('asked', 40 * mib),
      ...parts,
      ...latency,
      ...own,
    ];
  });
}
