// A plane over a chart: the pointer and the arrow keys show a moment, a drag chooses a part.
import { h } from '../dom';
import { hideTip, showTip } from '../tooltip';

export interface Plane {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Reader {
  /** How many steps the arrow keys have. */
  readonly steps: () => number;
  /** The tooltip at a part of the width, from 0 to 1. */
  readonly at: (part: number) => Node | null;
  /** Chooses from one part of the width to another; null chooses all. */
  readonly choose: (parts: readonly [number, number] | null) => void;
}

export class Brush {
  private readonly chosen = h('div', { class: 'chosen', hidden: true });
  private readonly cursor = h('div', { class: 'cursor', hidden: true });
  readonly element = h(
    'div',
    { class: 'plane', tabindex: 0, role: 'application' },
    this.chosen,
    this.cursor,
  );
  /** Parts of the width. */
  private now = 0;
  private from: number | null = null;

  constructor(
    label: string,
    private readonly reader: Reader,
  ) {
    this.element.setAttribute('aria-label', label);
    this.watchPointer();
    this.element.addEventListener('keydown', (event) => {
      if (this.steer(event.key, event.shiftKey)) event.preventDefault();
    });
    this.element.addEventListener('blur', () => {
      this.leave();
      this.from = null;
    });
  }

  /** Lies over this part of the chart. */
  place({ left, top, right, bottom }: Plane): void {
    const { style } = this.element;
    style.left = `${left}px`;
    style.top = `${top}px`;
    style.width = `${Math.max(right - left, 0)}px`;
    style.height = `${Math.max(bottom - top, 0)}px`;
  }

  /** Shows the chosen part. */
  show(parts: readonly [number, number] | null): void {
    this.chosen.hidden = parts === null;
    if (parts === null) return;
    const [from, to] = parts;
    this.chosen.style.left = `${100 * from}%`;
    this.chosen.style.width = `${100 * (to - from)}%`;
  }

  private partAt(event: MouseEvent): number {
    const { left, width } = this.element.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - left) / Math.max(width, 1), 0), 1);
  }

  private watchPointer(): void {
    const { element } = this;
    element.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.from = this.partAt(event);
    });
    element.addEventListener('pointermove', (event) => {
      this.now = this.partAt(event);
      this.point();
      const isDrag = this.from !== null && element.hasPointerCapture(event.pointerId);
      if (isDrag && this.from !== null) this.show(sorted(this.from, this.now));
    });
    element.addEventListener('pointerup', (event) => {
      if (this.from === null) return;
      const parts = sorted(this.from, this.partAt(event));
      this.from = null;
      const width = element.clientWidth;
      // A press without a drag chooses all.
      this.reader.choose((parts[1] - parts[0]) * width < 4 ? null : parts);
    });
    element.addEventListener('pointercancel', () => {
      this.from = null;
    });
    element.addEventListener('pointerleave', () => {
      this.leave();
    });
  }

  private leave(): void {
    this.cursor.hidden = true;
    hideTip();
  }

  private point(): void {
    const body = this.reader.at(this.now);
    this.cursor.hidden = body === null;
    if (body === null) return;
    this.cursor.style.left = `${100 * this.now}%`;
    const { left, top, width } = this.element.getBoundingClientRect();
    showTip(body, left + this.now * width, top + 8);
  }

  /** Arrows move, with Shift they choose, and Escape chooses all. */
  private steer(key: string, shift: boolean): boolean {
    const step = 1 / Math.max(this.reader.steps(), 1);
    if (key === 'Escape') {
      this.from = null;
      this.leave();
      this.reader.choose(null);
      return true;
    }
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: this.now - step,
      ArrowRight: this.now + step,
      PageUp: this.now - 10 * step,
      PageDown: this.now + 10 * step,
      Home: 0,
      End: 1,
    };
    const to = moves[key];
    if (to === undefined) return false;
    if (!shift) this.from = null;
    else this.from ??= this.now;
    this.now = Math.min(Math.max(to, 0), 1);
    if (this.from !== null) this.reader.choose(sorted(this.from, this.now));
    this.point();
    return true;
  }
}

function sorted(a: number, b: number): [number, number] {
  return a < b ? [a, b] : [b, a];
}
