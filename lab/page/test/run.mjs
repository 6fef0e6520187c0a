// Bundles test/*.test.ts for node and runs them with node's own test runner.
// @ts-check
import { spawnSync } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '../node_modules/.cache/heapsmith/test');
const names = (await readdir(here)).filter((name) => name.endsWith('.test.ts'));
if (names.length === 0) throw new Error('no tests found');

/** build.mjs finds the sources relative to itself, so it must run from its own folder, unbundled.
 * @type {import('esbuild').Plugin} */
const inPlace = {
  name: 'in-place',
  setup(api) {
    const path = pathToFileURL(join(here, '../build.mjs')).href;
    api.onResolve({ filter: /\/build\.mjs$/ }, () => ({ path, external: true }));
  },
};

await rm(out, { recursive: true, force: true });
await build({
  entryPoints: names.map((name) => join(here, name)),
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  sourcemap: 'inline',
  packages: 'external',
  plugins: [inPlace],
});

const files = names.map((name) => join(out, basename(name, '.ts') + '.mjs'));
const args = ['--enable-source-maps', '--test', ...files];
const run = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: join(here, '..') });
process.exit(run.status ?? 1);
