// The stacks of a trace as a tree of calls whose widths are numbers of the chosen time.
import { placeAt, placeName, type Name } from './names';
import type { Place } from './data';
import { numbersOf } from './select';
import { pathOf, sharesOf } from './paths';
import { valueOf, type Order } from './rows';
import type { Scene } from './scene';

export interface Call extends Name {
  readonly isOwn: boolean;
  value: number;
  readonly children: Map<number, Call>;
  readonly parent: Call | null;
}

const otherSites = -1;
const systemAlone = -2;

function named(scene: Scene, index: number): Name & { isOwn: boolean } {
  const { trace } = scene;
  if (index === otherSites) {
    return { name: 'All other sites', line: '', note: '', isOwn: false };
  }
  if (index === systemAlone) {
    return { name: 'System libraries alone', line: '', note: '', isOwn: false };
  }
  const place = placeAt(trace, index);
  return { ...placeName(place), isOwn: place.isOwn };
}

function add(scene: Scene, root: Call, path: readonly number[], value: number): void {
  root.value += value;
  let node = root;
  for (const index of path) {
    let next = node.children.get(index);
    if (next === undefined) {
      next = { ...named(scene, index), value: 0, children: new Map(), parent: node };
      node.children.set(index, next);
    }
    next.value += value;
    node = next;
  }
}

/** The mark of a stack that was cut stays: without it, its next function would look like a root. */
function isShown({ name, isOwn }: Place): boolean {
  return isOwn || name === '(cut)';
}

/** A lifetime is no sum, so the widths are bytes then. */
export function weightOf(order: Order): Exclude<Order, 'lifetime'> {
  return order === 'lifetime' ? 'bytes' : order;
}

/** The tree from the outermost function on, or from the calls of the allocator on. */
export function treeOf(scene: Scene): Call {
  const { trace, span, view } = scene;
  const by = weightOf(view.by);
  const root: Call = {
    name: 'All',
    line: '',
    note: '',
    isOwn: true,
    value: 0,
    children: new Map(),
    parent: null,
  };
  const shares = sharesOf(trace);
  for (const [i, site] of trace.sites.entries()) {
    const value = valueOf(numbersOf(trace, site, span), by);
    if (value <= 0) continue;
    for (const { node, part } of shares[i] ?? []) {
      let path = pathOf(trace, node);
      if (view.code === 'own') path = path.filter((index) => isShown(placeAt(trace, index)));
      if (path.length === 0) path = [systemAlone];
      add(scene, root, view.flame === 'callers' ? path.reverse() : path, value * part);
    }
  }
  if (trace.others !== null) {
    const value = valueOf(numbersOf(trace, trace.others, span), by);
    if (value > 0) add(scene, root, [otherSites], value);
  }
  return root;
}

export function byValue(call: Call): Call[] {
  return [...call.children.values()].sort((a, b) => b.value - a.value);
}

/** The names from the outermost row to this call: they find it again in another tree. */
export function trail(call: Call): string[] {
  const names: string[] = [];
  for (let c = call; c.parent !== null; c = c.parent) names.unshift(`${c.name} ${c.line}`);
  return names;
}

export function findCall(root: Call, names: readonly string[]): Call {
  let node = root;
  for (const name of names) {
    const next = [...node.children.values()].find((c) => `${c.name} ${c.line}` === name);
    if (next === undefined) return node;
    node = next;
  }
  return node;
}
