// The Pareto front of points where lower is better on both axes.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points that no other point beats, by rising x and falling y. Equal points all stay. */
export function paretoFront<P extends Point>(points: readonly P[]): P[] {
  const beats = (a: P, b: P): boolean => a.x <= b.x && a.y <= b.y && (a.x < b.x || a.y < b.y);
  return points
    .filter((p) => !points.some((q) => beats(q, p)))
    .sort((a, b) => a.x - b.x || b.y - a.y);
}

/** The corners of the staircase that bounds the area that the front dominates. */
export function staircase(front: readonly Point[], right: number, top: number): Point[] {
  const corners: Point[] = [];
  let level = top;
  for (const { x, y } of front) {
    corners.push({ x, y: level }, { x, y });
    level = y;
  }
  if (front.length > 0) corners.push({ x: right, y: level });
  return corners;
}
