// How the command names a site whose function is inlined into others.

/** A site's name as the command writes it: the outermost function of those that are inlined. */
export function changeName(text: string): { name: string; note: string } {
  const [, inner, outer, where] = /^(.*) \(inlined into (.*)\) ((?:at|in) [^ ]+)$/.exec(text) ?? [];
  if (inner === undefined || outer === undefined) return { name: text, note: '' };
  const names = outer.split(', ');
  return { name: names[names.length - 1] ?? outer, note: `through ${inner} ${where ?? ''}` };
}
