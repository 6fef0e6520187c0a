// The parts of the charting library that the page uses, and the options that all charts share.
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from 'echarts/components';
import { init, use, type ComposeOption, type EChartsType } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { CustomSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type {
  AriaComponentOption,
  GridComponentOption,
  TooltipComponentOption,
} from 'echarts/components';
import { h } from './dom';
import type { Axis } from './axis';
import type { Colours } from './theme';

use([
  AriaComponent,
  CustomChart,
  GridComponent,
  LineChart,
  MarkLineComponent,
  ScatterChart,
  SVGRenderer,
  TooltipComponent,
]);

export type Option = ComposeOption<
  | AriaComponentOption
  | CustomSeriesOption
  | GridComponentOption
  | LineSeriesOption
  | ScatterSeriesOption
  | TooltipComponentOption
>;

export const fontFamily = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/** A chart that redraws when its box changes size, since its ticks depend on the size. */
export class Chart {
  readonly element: HTMLElement;
  private chart: EChartsType | null = null;
  private drawn = '';

  constructor(className: string, redraw: () => void) {
    this.element = h('div', { class: `chart ${className}`, role: 'img' });
    new ResizeObserver(() => {
      if (this.size() !== this.drawn) redraw();
    }).observe(this.element);
  }

  get width(): number {
    return this.element.clientWidth;
  }

  private size(): string {
    return `${this.width}×${this.element.clientHeight}`;
  }

  /** Draws the chart. Screen readers read `summary` instead. A box without width draws nothing. */
  draw(option: Option, summary: string): void {
    this.element.setAttribute('aria-label', summary);
    if (this.width === 0) return;
    this.chart ??= init(this.element, null, { renderer: 'svg' });
    if (this.size() !== this.drawn) this.chart.resize();
    this.drawn = this.size();
    this.chart.setOption(this.withDefaults(option), { notMerge: true });
  }

  private withDefaults(option: Option): Option {
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    return { animation: !still, animationDuration: 250, animationDurationUpdate: 250, ...option };
  }
}

/** A value axis with the ticks of `axis`. */
export function valueAxis(axis: Axis, name: string, c: Colours): object {
  const at = axis.ticks.map((tick) => tick.at);
  const labels = new Map(axis.ticks.map((tick) => [tick.at, tick.label]));
  return {
    type: 'value',
    name,
    min: axis.min,
    max: axis.max,
    nameTextStyle: { color: c.quiet, fontSize: 12, fontFamily },
    axisLine: { show: false },
    axisTick: { show: false, customValues: at },
    axisLabel: {
      customValues: at,
      color: c.quiet,
      fontSize: 12,
      fontFamily,
      hideOverlap: true,
      formatter: (value: number): string => labels.get(value) ?? '',
    },
    splitLine: { lineStyle: { color: c.line } },
  };
}

export function tooltipStyle(c: Colours): TooltipComponentOption {
  return {
    confine: true,
    backgroundColor: c.surface,
    borderColor: c.line,
    padding: [8, 12],
    textStyle: { color: c.text, fontSize: 13, fontFamily },
    extraCssText: 'box-shadow: 0 4px 16px rgb(0 0 0 / 18%); border-radius: 8px;',
  };
}

/** The body of a tooltip: a name, then lines of label and value. */
export function tooltipBody(
  title: string,
  lines: readonly (readonly [string, string])[],
): HTMLElement {
  const rows = lines.map(([label, value]) => h('tr', {}, h('th', {}, label), h('td', {}, value)));
  return h('div', { class: 'tip' }, h('strong', {}, title), h('table', {}, ...rows));
}
