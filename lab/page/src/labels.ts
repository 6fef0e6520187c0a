// Positions the names beside the points of a scatter chart, clear of each other and of the crosses.

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A point with the width of its name and the shapes drawn around it, in pixels. */
export interface Anchor {
  readonly x: number;
  readonly y: number;
  readonly textWidth: number;
  readonly drawn: readonly Box[];
}

const height = 16;
const gap = 9;

function overlap(a: Box, b: Box): number {
  const w = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return w > 0 && h > 0 ? w * h : 0;
}

/** The possible positions of a name, the most readable first. */
function places({ x, y, textWidth: width }: Anchor): Box[] {
  const right = x + gap;
  const left = x - gap - width;
  const above = y - gap - height / 2;
  const below = y + gap - height / 2;
  const middle = x - width / 2;
  return [
    { x: right, y: above, width, height },
    { x: left, y: above, width, height },
    { x: right, y: below, width, height },
    { x: left, y: below, width, height },
    { x: middle, y: y - gap - height, width, height },
    { x: middle, y: y + gap, width, height },
    { x: right, y: above - height, width, height },
    { x: left, y: above - height, width, height },
    { x: right, y: below + height, width, height },
    { x: left, y: below + height, width, height },
    { x: right, y: above - 2 * height, width, height },
    { x: left, y: above - 2 * height, width, height },
    { x: right, y: below + 2 * height, width, height },
    { x: left, y: below + 2 * height, width, height },
  ];
}

/** The box of each anchor's name: the first of the positions that hide least of `fixed` and others. */
export function placeLabels(
  anchors: readonly Anchor[],
  area: Box,
  fixed: readonly Box[] = [],
): Box[] {
  const drawn = anchors.flatMap((a) => a.drawn);
  const texts: Box[] = [...fixed];
  return anchors.map((anchor) => {
    const cost = (box: Box): number => {
      const outside = box.width * box.height - overlap(box, area);
      // A name stays readable across a line, but not across another name.
      const crossed = drawn.reduce((sum, other) => sum + overlap(box, other), 0);
      return 4 * outside + crossed + 4 * texts.reduce((sum, t) => sum + overlap(box, t), 0);
    };
    const [best] = places(anchor)
      .map((box, i) => ({ box, cost: 10 * cost(box) + i }))
      .sort((a, b) => a.cost - b.cost);
    const box = best?.box ?? { x: anchor.x, y: anchor.y, width: anchor.textWidth, height };
    texts.push(box);
    return box;
  });
}
