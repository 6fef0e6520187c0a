// The section of live bytes over time: chart, tooltip, legend, and the choice of a part of the time.
import { h } from '../dom';
import { Figure } from '../figure';
import { tipBody } from '../tooltip';
import { Brush } from './brush';
import { layersOf } from './layers';
import { drawLive, fittingMemory, liveFrame } from './live';
import { isWhole, spanOf } from './select';
import { bytes, count, rangeOf, sceneOf, time, type Scene } from './scene';
import type { Store } from '../state';
import type { Trace, Traces } from './data';

function swatch(colour: string): HTMLElement {
  return h('span', { class: 'swatch', style: `background: var(${colour})` });
}

function legend(trace: Trace): HTMLElement {
  const keys = layersOf(trace).map(({ name, line, colour }) =>
    h('span', {}, swatch(colour), h('b', {}, name), line === '' ? null : ` ${line}`),
  );
  const words = 'memory of the process that belongs to no file';
  if (fittingMemory(trace).length > 0) {
    keys.push(h('span', {}, h('span', { class: 'stroke' }), words));
  } else if (trace.memory.length > 1) {
    const top = Math.max(...trace.memory.map(([, n]) => n));
    keys.push(h('span', {}, `Above this chart: ${words}, up to ${bytes(top)}`));
  }
  return h('p', { class: 'key layers' }, ...keys);
}

/** The bytes in use at a moment, by function. */
function momentTip(trace: Trace, ns: number): Node {
  const { curve, bin, bins } = trace;
  const step = Math.min(Math.floor(ns / Math.max(curve.step, 1)), curve.most.length - 1);
  const at = Math.min(Math.floor(ns / Math.max(bin, 1)), bins.length - 1);
  const rows: [Node | string, string][] = [
    ['in use, at most', bytes(curve.most[step] ?? 0)],
    ['in blocks', count(curve.blocks[step] ?? 0)],
    ['calls in this bin', count(bins[at]?.calls ?? 0)],
  ];
  const layers = layersOf(trace).filter(({ live }) => (live[at] ?? 0) > 0);
  layers.sort((a, b) => (b.live[at] ?? 0) - (a.live[at] ?? 0));
  for (const { name, live, colour } of layers) {
    rows.push([h('span', {}, swatch(colour), name), bytes(live[at] ?? 0)]);
  }
  return tipBody(time(ns), rows);
}

export function timeline(store: Store, traces: Traces): HTMLElement {
  const scene = (): Scene | null => sceneOf(traces, store.view);
  const duration = (trace: Trace): number => Math.max(trace.info.duration, 1);
  const brush: Brush = new Brush(
    'Time. Arrow keys move, with Shift they choose a part, and Escape chooses all.',
    {
      steps: () => scene()?.trace.bins.length ?? 1,
      at: (part) => {
        const trace = scene()?.trace;
        return trace === undefined ? null : momentTip(trace, part * duration(trace));
      },
      choose: (parts) => {
        const trace = scene()?.trace;
        if (trace === undefined) return;
        const ms = parts?.map((part) => (part * duration(trace)) / 1e6) ?? null;
        const [from = 0, to = 0] = ms ?? [];
        store.set({ span: ms === null ? null : rangeOf(trace, spanOf(trace, [from, to])) });
      },
    },
  );
  const figure = new Figure((width) => {
    const now = scene();
    if (now === null) return { summary: '', children: [], height: 0 };
    brush.place(liveFrame(now.trace, width));
    return drawLive(now, width);
  });
  const keys = h('div');
  store.watch(() => {
    const now = scene();
    if (now === null) return;
    const { trace, span } = now;
    figure.redraw();
    keys.replaceChildren(legend(trace));
    const parts = span.map((n) => Math.min((n * trace.bin) / duration(trace), 1));
    brush.show(isWhole(trace, span) ? null : [parts[0] ?? 0, parts[1] ?? 1]);
  });
  return h('figure', { class: 'live' }, figure.element, brush.element, keys);
}
