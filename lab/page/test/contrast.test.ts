// Contrast of the colours: 4.5 for text and 3 for signs and lines, as WCAG 2 asks.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test('text and signs stand out from the page, light and dark', async () => {
  // npm runs the tests in the folder of the page.
  const css = await readFile('src/style/colours.css', 'utf8');
  const themes = css.split(':root').slice(1);
  assert.equal(themes.length, 2);
  for (const block of themes) {
    const colours = new Map(
      [...block.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name = '', hex = '']) => [name, hex]),
    );
    const surface = colours.get('surface') ?? '';
    for (const [name, hex] of colours) {
      const least = /^c\d+$/.test(name)
        ? 3
        : ['text', 'quiet', 'good', 'bad', 'warn', 'accent'].includes(name)
          ? 4.5
          : 1;
      const found = contrast(hex, surface);
      assert.ok(found >= least, `${name} ${hex} on ${surface}: ${found.toFixed(2)}`);
    }
  }
});
