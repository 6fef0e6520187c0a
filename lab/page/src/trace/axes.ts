// The axes of the chart of live bytes.
import { makeAxis, type Axis } from '../axis';
import { unitFor } from '../format';

export interface Scaled {
  readonly axis: Axis;
  readonly unit: string;
  /** Recorded units in one of the axis. */
  readonly size: number;
}

function scaled(top: number, kind: string, count: number, pad: number): Scaled {
  const { name, size } = unitFor(kind, top);
  const axis = makeAxis([Math.max(top, Number.MIN_VALUE) / size], 'linear', {
    origin: 0,
    count,
    pad,
  });
  // Nothing lies below zero.
  const ticks = axis.ticks.filter((t) => t.at >= 0);
  return { axis: { ...axis, min: 0, ticks }, unit: name, size };
}

export function bytesAxis(top: number): Scaled {
  return scaled(top, 'bytes', 4, 0.05);
}

/** `end` in nanoseconds. The axis ends there. */
export function timeAxis(end: number, width: number): Scaled {
  const seconds = Math.max(end, 1) / 1e9;
  const unit = seconds > 300 ? { name: 'min', size: 60 } : unitFor('s', seconds);
  const count = Math.max(Math.min(Math.round(width / 110), 10), 2);
  const axis = makeAxis([seconds / unit.size], 'linear', { origin: 0, count, pad: 0 });
  return {
    axis: { ...axis, min: 0, max: seconds / unit.size },
    unit: unit.name,
    size: unit.size * 1e9,
  };
}
