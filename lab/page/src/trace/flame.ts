// The flame graph: a row for each depth of calls, from the top down. A press on a call widens it.
import { h, svg, type Child } from '../dom';
import { Figure, shortened, words, type Drawing } from '../figure';
import { percent } from '../format';
import { tip, tipBody } from '../tooltip';
import { matches } from './names';
import { bytes, count, follow, sceneOf, type Scene } from './scene';
import { byValue, findCall, trail, treeOf, weightOf, type Call } from './tree';
import type { Store } from '../state';
import type { Traces } from './data';

const rowHeight = 21;
/** Narrower calls cannot be seen. */
const narrowest = 0.6;
const deepest = 60;

const called: Readonly<Record<string, string>> = {
  bytes: 'bytes allocated',
  calls: 'calls',
  peak: 'bytes at the peak',
  left: 'bytes never freed',
};

/** A shade that stays the same for a name. */
function shade(name: string): number {
  let hash = 0;
  for (const c of name) hash = (hash * 31 + (c.codePointAt(0) ?? 0)) % 997;
  return 42 + (hash % 5) * 9;
}

class Flame {
  private zoomed: readonly string[] = [];
  private focus: readonly string[] = [];
  private wantsFocus = false;
  readonly figure: Figure;
  readonly reset = h('button', { type: 'button', class: 'chip plain' }, 'Show all calls');

  constructor(private readonly scene: () => Scene | null) {
    this.figure = new Figure((width) => this.draw(width));
    this.reset.addEventListener('click', () => {
      this.zoom([]);
    });
    this.figure.element.addEventListener('keydown', (event) => {
      if (this.steer(event.key)) event.preventDefault();
    });
    this.figure.element.classList.add('flame');
  }

  private zoom(to: readonly string[]): void {
    this.zoomed = to;
    this.focus = to;
    this.figure.redraw();
  }

  private draw(width: number): Drawing {
    const scene = this.scene();
    if (scene === null) return { summary: '', children: [], height: 0 };
    const root = treeOf(scene);
    const top = findCall(root, this.zoomed);
    this.reset.hidden = top === root;
    const children: Child[] = [];
    const above: Call[] = [];
    for (let c: Call | null = top; c !== null; c = c.parent) above.unshift(c);
    for (const [row, call] of above.entries()) {
      children.push(this.box(scene, root, call, 0, row, width, call === top ? '' : ' above'));
    }
    let depth = above.length;
    const place = (parent: Call, x: number, row: number): void => {
      if (row > deepest) return;
      let from = x;
      for (const call of byValue(parent)) {
        const wide = top.value > 0 ? (width * call.value) / top.value : 0;
        if (wide < narrowest) break;
        children.push(this.box(scene, root, call, from, row, wide, ''));
        depth = Math.max(depth, row + 1);
        place(call, from, row + 1);
        from += wide;
      }
    };
    place(top, 0, above.length);
    const summary = `Flame graph of ${called[weightOf(scene.view.by)] ?? ''}. Arrow keys move, Enter widens a call, Escape shows all.`;
    return { summary, children, height: depth * rowHeight };
  }

  private box(
    scene: Scene,
    root: Call,
    call: Call,
    x: number,
    row: number,
    wide: number,
    more: string,
  ): SVGElement {
    const find = scene.view.find.trim();
    const found = find === '' ? '' : matches(call, find) ? ' found' : ' faint';
    const kind = call.parent === null ? ' root' : call.isOwn ? ' mine' : '';
    const y = row * rowHeight;
    const label = call.line === '' ? call.name : `${call.name}  ${call.line}`;
    const names = trail(call);
    const isFocus = names.join('\n') === this.focus.join('\n');
    const group = svg(
      'g',
      {
        'class': `call${kind}${more}${found}`,
        'tabindex': isFocus ? 0 : -1,
        'role': 'button',
        'style': `--shade: ${shade(call.name)}%`,
        'aria-label': label,
      },
      svg('rect', {
        x: x + 0.5,
        y,
        width: Math.max(wide - 1, 0.5),
        height: rowHeight - 1.5,
        rx: 2,
      }),
      wide > 34 ? words(shortened(label, wide - 10), x + 5, y + 14.5, 'label') : null,
    );
    group.dataset['trail'] = names.join('\n');
    tip(group, () => this.tipOf(scene, root, call));
    group.addEventListener('click', () => {
      this.zoom(names);
    });
    if (isFocus && this.wantsFocus) {
      queueMicrotask(() => {
        group.focus();
      });
    }
    return group;
  }

  private tipOf({ view }: Scene, root: Call, call: Call): Node {
    const by = weightOf(view.by);
    const share = percent(call.value / Math.max(root.value, 1));
    const value = by === 'calls' ? count(call.value) : bytes(call.value);
    const rows: [string, string][] = [[called[by] ?? '', `${value} (${share})`]];
    if (call.line !== '') rows.unshift([call.line, '']);
    if (call.note !== '') rows.push([call.note, '']);
    return tipBody(call.name, rows);
  }

  /** Moves the focus between calls. */
  private steer(key: string): boolean {
    if (key === 'Escape') {
      this.wantsFocus = true;
      this.zoom([]);
      this.wantsFocus = false;
      return true;
    }
    const active = document.activeElement;
    const names = active instanceof SVGElement ? active.dataset['trail'] : undefined;
    if (names === undefined) return false;
    const here = names === '' ? [] : names.split('\n');
    if (key === 'Enter' || key === ' ') {
      this.wantsFocus = true;
      this.zoom(here);
      this.wantsFocus = false;
      return true;
    }
    const to = this.neighbour(here, key);
    const target = [...this.figure.element.querySelectorAll<SVGElement>('.call')].find(
      (g) => to !== null && g.dataset['trail'] === to.join('\n'),
    );
    if (target === undefined) return key.startsWith('Arrow');
    this.focus = to ?? [];
    active?.setAttribute('tabindex', '-1');
    target.setAttribute('tabindex', '0');
    target.focus();
    return true;
  }

  private neighbour(here: readonly string[], key: string): string[] | null {
    const scene = this.scene();
    if (scene === null) return null;
    const call = findCall(treeOf(scene), here);
    const siblings = call.parent === null ? [call] : byValue(call.parent);
    const at = siblings.findIndex((c) => c === call);
    const to: Readonly<Record<string, Call | null | undefined>> = {
      ArrowUp: call.parent,
      ArrowDown: byValue(call)[0],
      ArrowLeft: siblings[at - 1],
      ArrowRight: siblings[at + 1],
    };
    const found = to[key];
    return found === undefined || found === null ? null : trail(found);
  }
}

export function flameGraph(store: Store, traces: Traces): HTMLElement {
  const flame = new Flame(() => sceneOf(traces, store.view));
  const note = h('p', { class: 'quiet' });
  follow(store, traces, ({ trace, view }) => {
    const start =
      view.flame === 'callers' ? 'where the program starts' : 'at the calls of the allocator';
    const cut = trace.stacks.isCut
      ? ' Some outer functions are left out, to keep this file small.'
      : '';
    note.textContent =
      `Widths are ${called[weightOf(view.by)] ?? ''}. The top row is ${start}. Stacks are samples: the ` +
      `numbers of a site are exact, and divided among its stacks as often as each was sampled.${cut}`;
    flame.figure.redraw();
  });
  return h('figure', {}, note, flame.reset, flame.figure.element);
}
