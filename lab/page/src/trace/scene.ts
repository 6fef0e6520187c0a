// What every section of a trace uses: the chosen trace, the chosen time, and the view.
import { isWhole, spanOf, type Span } from './select';
import { quantity } from '../format';
import type { Store, View } from '../state';
import type { Trace, Traces } from './data';

export interface Scene {
  readonly traces: Traces;
  readonly trace: Trace;
  readonly span: Span;
  readonly view: View;
}

export function sceneOf(traces: Traces, view: View): Scene | null {
  const trace = traces.traces.find((t) => t.name === view.trace) ?? traces.traces[0];
  return trace === undefined ? null : { traces, trace, span: spanOf(trace, view.span), view };
}

/** A time of a trace, from nanoseconds. */
export function time(ns: number): string {
  return quantity(ns / 1e9, 's');
}

export function bytes(n: number): string {
  return quantity(Math.round(n), 'bytes');
}

export function count(n: number): string {
  return quantity(Math.round(n), 'count');
}

/** "12.3 ms to 20.1 ms"; null if all of the time is chosen. */
export function spanText({ trace, span }: Scene): string | null {
  if (isWhole(trace, span)) return null;
  const [from, to] = span.map((bin) => Math.min(bin * trace.bin, trace.info.duration));
  return `${time(from ?? 0)} to ${time(to ?? 0)}`;
}

/** The range of the view for a span of bins; null for all of them. */
export function rangeOf(trace: Trace, span: Span): View['span'] {
  if (isWhole(trace, span)) return null;
  const [from, to] = span.map((bin) => Number(((bin * trace.bin) / 1e6).toFixed(6)));
  return from !== undefined && to !== undefined && from < to ? [from, to] : null;
}

/** Calls `draw` with the scene now and after each change. */
export function follow(store: Store, traces: Traces, draw: (scene: Scene) => void): void {
  store.watch((view) => {
    const scene = sceneOf(traces, view);
    if (scene !== null) draw(scene);
  });
}
