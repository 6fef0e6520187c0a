// Live bytes over time as a drawing: the most in use, and below it the sites that had it.
import { svg, type Child } from '../dom';
import { textWidth, words, type Drawing } from '../figure';
import { layersOf } from './layers';
import { axesOf, between, frameOf, path, through, type Frame } from './plot';
import { bytes, time, type Scene } from './scene';
import type { Trace } from './data';

type Point = readonly [number, number];

/** Above this many times the peak, the memory of the process would press the rest flat. */
const tallest = 2.5;

/** The memory of the process, if the chart has room for it. */
export function fittingMemory({ info, memory }: Trace): Trace['memory'] {
  const top = Math.max(0, ...memory.map(([, n]) => n));
  return memory.length > 1 && top <= tallest * info.peakBytes ? memory : [];
}

/** The highest value of the chart. */
function topOf(trace: Trace): number {
  return Math.max(trace.info.peakBytes, ...fittingMemory(trace).map(([, n]) => n), 1);
}

export function liveFrame(trace: Trace, width: number): Frame {
  return frameOf(width, trace.info.duration, topOf(trace));
}

/** The points of a curve of steps, each with its value at both ends. */
export function stepsOf(frame: Frame, step: number, values: readonly number[], end: number) {
  return values.flatMap((n, i): Point[] => {
    const [from, to] = [i * step, Math.min((i + 1) * step, end)];
    return [
      [frame.x(from), frame.y(n)],
      [frame.x(to), frame.y(n)],
    ];
  });
}

function layerPaths(trace: Trace, frame: Frame): Child[] {
  let below = new Float64Array(trace.bins.length);
  return layersOf(trace).map(({ live, colour }) => {
    const above = below.map((n, i) => n + Math.max(live[i] ?? 0, 0));
    // The end of a bin never has more than the most in it, so no layer crosses the line.
    const edge = (values: Float64Array): Point[] =>
      stepsOf(frame, trace.bin, Array.from(values), trace.info.duration);
    const d = between(edge(above), edge(below));
    below = above;
    return path(d, { class: 'layer', style: `--own: var(${colour})` });
  });
}

/** The mark of the peak, with its label on the side that has room. */
function peakMark({ info }: Trace, frame: Frame): Child[] {
  const [x, y] = [frame.x(info.peak), frame.y(info.peakBytes)];
  const label = `Peak ${bytes(info.peakBytes)}`;
  const room = textWidth(label, 600) + 12;
  const anchor = x + room > frame.right ? 'end' : 'start';
  return [
    svg('circle', { cx: x, cy: y, r: 4, class: 'peak' }),
    words(label, x + (anchor === 'end' ? -9 : 9), Math.max(y - 7, 12), 'peak-label', anchor),
  ];
}

export function drawLive({ trace }: Scene, width: number): Drawing {
  const frame = liveFrame(trace, width);
  const { curve, info } = trace;
  const most = stepsOf(frame, curve.step, curve.most, info.duration);
  const least = stepsOf(frame, curve.step, curve.least, info.duration);
  const floor: Point[] = most.map(([x]) => [x, frame.y(0)]);
  const children: Child[] = [
    ...axesOf(frame),
    path(between(most, floor), { class: 'momentary' }),
    ...layerPaths(trace, frame),
    path(between(most, least), { class: 'churn' }),
    path(through(most), { class: 'most' }),
  ];
  const resident = fittingMemory(trace).map(([ns, n]): Point => [
    frame.x(Math.min(ns, info.duration)),
    frame.y(n),
  ]);
  if (resident.length > 1) children.push(path(through(resident), { class: 'resident' }));
  children.push(...peakMark(trace, frame));
  const summary =
    `Line chart of the bytes in use over ${time(info.duration)}. The peak is ` +
    `${bytes(info.peakBytes)} after ${time(info.peak)}.`;
  return { summary, children, height: frame.bottom + 30 };
}
