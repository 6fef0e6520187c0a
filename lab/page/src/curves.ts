// Memory over time: one line per contender on a canvas, which carries many points.
import uPlot from 'uplot';
import { apart } from './apart';
import { axesOf, nearest, scalesOf } from './canvas';
import { clockFor, linesOf, verticalOf, type Line, type Vertical } from './lines';
import { h } from './dom';
import { digits, quantity } from './format';
import { shortened, textWidth } from './figure';
import { hides } from './hiding';
import { colour, signOf } from './theme';
import { currentCase, lookOf, type Context } from './context';
import { hideTip, showTip, tipBody } from './tooltip';
import { valueAt } from './thin';
import type { Store } from './state';

/** Longer names at the ends of lines are cut. */
const widestName = 180;

type Clock = ReturnType<typeof clockFor>;

export class CurveChart {
  readonly element = h('div', { class: 'chart curves', tabindex: 0, role: 'group' });
  private readonly names = h('div', { class: 'line-names' });
  private plot: uPlot | null = null;
  private lines: readonly Line[] = [];
  private clock: Clock = clockFor(0);
  /** The line under the pointer. */
  private focused: string | null = null;
  private width = 0;

  constructor(
    private readonly store: Store,
    private readonly context: () => Context,
  ) {
    new ResizeObserver(() => {
      if (this.element.clientWidth !== this.width) this.redraw();
    }).observe(this.element);
    this.element.addEventListener('keydown', (event) => {
      if (this.steer(event.key)) event.preventDefault();
    });
    this.element.addEventListener('blur', hideTip);
  }

  /** Draws the curves of the current case and returns the title of their vertical axis. */
  redraw(): string {
    const context = this.context();
    const chosen = currentCase(context);
    this.width = this.element.clientWidth;
    if (chosen === null || this.width === 0) return '';
    this.plot?.destroy();
    this.lines = linesOf(context, chosen.id);
    const end = Math.max(0, ...this.lines.map((l) => l.times[l.times.length - 1] ?? 0));
    this.clock = clockFor(end);
    const vertical = verticalOf(context, chosen.id, this.lines);
    this.element.setAttribute('aria-label', this.summary(vertical));
    const data = uPlot.join(this.lines.map((l) => [[...l.times], l.values.map(vertical.plot)]));
    const room =
      this.width > 640
        ? Math.max(60, ...this.lines.map((l) => textWidth(shortened(l.name, widestName)))) + 34
        : 12;
    const range = context.view.range ?? [0, end];
    this.element.replaceChildren(this.names);
    const options = this.options(vertical, room, range);
    // The layout is known only once the first drawing is done.
    const ready = (u: uPlot): void => {
      this.nameLines(context, u, vertical, range, room > 12);
    };
    options.hooks = { ...options.hooks, ready: [ready] };
    this.plot = new uPlot(options, data, this.element);
    this.press(this.plot.over);
    return `${vertical.title}, over ${this.clock.words}`;
  }

  private summary({ title }: Vertical): string {
    const said = this.lines
      .filter((l) => l.leads)
      .map((l) => `${l.name} at most ${quantity(Math.max(0, ...l.values), l.unit)}`);
    const keys = 'The left and right arrow keys move through time; Escape shows all of it.';
    return `Line chart, ${title} over time. ${said.join('; ')}. ${keys}`;
  }

  private options(
    vertical: Vertical,
    room: number,
    range: readonly [number, number],
  ): uPlot.Options {
    return {
      width: this.width,
      height: Math.round(Math.min(Math.max(this.width * 0.42, 260), 440)),
      padding: [8, room, 0, 0],
      legend: { show: false },
      focus: { alpha: 0.25 },
      cursor: {
        y: false,
        focus: { prox: 24 },
        drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
        dataIdx: (u, series, index) => nearest(u.data[series] ?? [], index),
      },
      scales: scalesOf(vertical, range),
      axes: axesOf(vertical, this.clock),
      series: [{}, ...this.lines.map((l) => this.seriesOf(l))],
      hooks: {
        setCursor: [
          (u) => {
            this.pointed(u);
          },
        ],
        setSeries: [
          (_, index) => {
            this.focused = this.lines[(index ?? 0) - 1]?.name ?? null;
          },
        ],
        setSelect: [
          (u) => {
            this.selected(u);
          },
        ],
      },
    };
  }

  private seriesOf({ name, leads }: Line): uPlot.Series {
    const stroke = colour(`c${lookOf(this.context(), name).slot}`);
    return {
      label: name,
      stroke,
      width: leads ? 2 : 1,
      alpha: leads ? 1 : 0.35,
      spanGaps: true,
      points: { show: false },
    };
  }

  /** The values at the pointer, the highest first. */
  private pointed(u: uPlot): void {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0) {
      hideTip();
      return;
    }
    const time = u.posToVal(left, 'x');
    const shown = this.lines
      .filter((l) => l.leads)
      .map((l) => ({ ...l, value: valueAt(l, time) }))
      .sort((a, b) => (b.value ?? -1) - (a.value ?? -1));
    const rows = shown.map(({ name, value, unit }): [Node, string] => {
      const label = h('span', { class: name === this.focused ? 'focused' : null }, name);
      label.prepend(signOf(lookOf(this.context(), name)));
      return [label, value === null ? 'ended' : quantity(value, unit)];
    });
    const box = u.over.getBoundingClientRect();
    const title = `${digits(time / this.clock.size)} ${this.clock.name}`;
    showTip(tipBody(title, rows), box.left + left, box.top + Math.max(top ?? 0, 0));
  }

  private selected(u: uPlot): void {
    const { left, width } = u.select;
    if (width < 4) return;
    const ends = [left, left + width].map((at) => Math.max(u.posToVal(at, 'x'), 0));
    const [from, to] = ends.map((t) => Number(t.toPrecision(4)));
    if (from !== undefined && to !== undefined && from < to) this.store.set({ range: [from, to] });
  }

  /** A press on a line hides its contender; a double press shows all of the time. */
  private press(over: HTMLElement): void {
    let from = 0;
    over.addEventListener('mousedown', (event) => {
      from = event.clientX;
    });
    over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - from) > 3 || this.focused === null) return;
      hideTip();
      this.store.toggle(this.focused);
    });
    over.addEventListener('dblclick', () => {
      this.store.set({ range: null });
    });
  }

  private steer(key: string): boolean {
    const u = this.plot;
    if (u === null) return false;
    const width = u.over.clientWidth;
    const now = Math.max(u.cursor.left ?? 0, 0);
    const to: Readonly<Record<string, number>> = {
      ArrowLeft: now - width / 50,
      ArrowRight: now + width / 50,
      Home: 0,
      End: width,
    };
    if (key === 'Escape') this.store.set({ range: null });
    const left = to[key];
    if (left === undefined) return key === 'Escape';
    u.setCursor({ left: Math.min(Math.max(left, 0), width), top: u.over.clientHeight / 3 });
    return true;
  }

  /** The names at the right ends of the lines, moved apart where lines end close together. */
  private nameLines(
    context: Context,
    u: uPlot,
    vertical: Vertical,
    [from, to]: readonly [number, number],
    show: boolean,
  ): void {
    if (!show) {
      this.names.replaceChildren();
      return;
    }
    const ends = this.lines.flatMap((l) => {
      const last = l.times.reduce((found, t, i) => (t >= from && t <= to ? i : found), -1);
      const value = l.values[last];
      if (!l.leads || value === undefined) return [];
      return [{ name: l.name, y: u.valToPos(vertical.plot(value), 'y') }];
    });
    const places = apart(
      ends.map((e) => e.y),
      17,
      u.over.clientHeight - 8,
    );
    const left = u.over.offsetLeft + u.over.clientWidth + 8;
    this.names.replaceChildren(
      ...ends.map(({ name }, i) => {
        const style = `left: ${left}px; top: ${u.over.offsetTop + (places[i] ?? 0)}px`;
        const title = `Hide ${name} everywhere`;
        const sign = signOf(lookOf(context, name));
        return h(
          'button',
          { type: 'button', class: 'name', style, title, [hides]: name },
          sign,
          shortened(name, widestName),
        );
      }),
    );
  }
}
