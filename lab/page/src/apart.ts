// Moves names that would overlap.

/** Moves positions at least `gap` apart, within `height`, without changing their order. */
export function apart(wanted: readonly number[], gap: number, height: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let limit = -Infinity;
  for (const i of order) {
    placed[i] = Math.max(placed[i] ?? 0, limit);
    limit = (placed[i] ?? 0) + gap;
  }
  limit = height;
  for (const i of [...order].reverse()) {
    placed[i] = Math.min(placed[i] ?? 0, limit);
    limit = (placed[i] ?? 0) - gap;
  }
  return placed;
}
