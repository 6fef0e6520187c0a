// A box for an SVG chart, and the parts that all our SVG charts share.
import { h, svg, type Child } from './dom';
import type { Axis } from './axis';

export interface Size {
  readonly width: number;
  readonly height: number;
}

const family = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const canvas = document.createElement('canvas').getContext('2d');

/** The font of a chart, which grows with the page's. `share` is its part of the page's size. */
export function chartFont(share = 0.78): string {
  const size = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return `${size * share}px ${family}`;
}

/** The width of a chart's text, in pixels. */
export function textWidth(text: string, weight = 400): number {
  if (canvas === null) return text.length * 7;
  canvas.font = `${weight} ${chartFont()}`;
  return canvas.measureText(text).width;
}

/** `name` shortened to `room` pixels. */
export function shortened(name: string, room: number): string {
  if (textWidth(name) <= room) return name;
  let kept = name;
  while (kept.length > 1 && textWidth(`${kept}…`) > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}

/** A drawing and the sentence that describes it to screen readers. */
export interface Drawing {
  readonly summary: string;
  readonly children: readonly Child[];
  readonly height: number;
}

/** A chart that redraws when its box changes width, since its ticks depend on the width. */
export class Figure {
  readonly element = h('div', { class: 'chart', role: 'group' });
  private drawn = 0;

  /** `draw` gets the width of the box; a hidden box is not drawn. */
  constructor(private readonly draw: (width: number) => Drawing) {
    new ResizeObserver(() => {
      if (this.element.clientWidth !== this.drawn) this.redraw();
    }).observe(this.element);
  }

  redraw(): void {
    const width = this.element.clientWidth;
    this.drawn = width;
    if (width === 0) return;
    const { summary, children, height } = this.draw(width);
    const active = document.activeElement;
    const index = this.marks().findIndex((mark) => mark === active);
    this.element.setAttribute('aria-label', summary);
    this.element.replaceChildren(svg('svg', { width, height, role: 'presentation' }, ...children));
    // The focus stays in the chart when the mark that had it goes away.
    const marks = this.marks();
    if (index >= 0) marks[Math.min(index, marks.length - 1)]?.focus();
  }

  private marks(): SVGElement[] {
    return [...this.element.querySelectorAll<SVGElement>('[tabindex]')];
  }
}

export function line(x1: number, y1: number, x2: number, y2: number, className: string) {
  return svg('line', { x1, y1, x2, y2, class: className });
}

export function words(
  text: string,
  x: number,
  y: number,
  className: string,
  anchor: 'start' | 'middle' | 'end' = 'start',
) {
  return svg('text', { x, y, 'class': className, 'text-anchor': anchor }, text);
}

/** A sign centred on a point. */
export function mark(path: string, x: number, y: number, size: number, className: string) {
  const scale = size / 24;
  const transform = `translate(${x - size / 2} ${y - size / 2}) scale(${scale})`;
  return svg('path', { 'd': path, transform, 'class': className, 'fill-rule': 'evenodd' });
}

/** Maps values to pixels between `from` and `to`. */
export function scaler(axis: Axis, from: number, to: number): (value: number) => number {
  const span = axis.max - axis.min;
  return (value) => from + ((axis.plot(value) - axis.min) / span) * (to - from);
}

/** Maps plotted coordinates, such as those of ticks, to pixels. */
export function plotted(axis: Axis, from: number, to: number): (at: number) => number {
  return (at) => from + ((at - axis.min) / (axis.max - axis.min)) * (to - from);
}
