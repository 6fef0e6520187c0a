// The Markdown files of the repository as pages, and where a link of one of them leads.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** The part of the navigation that a page stands in; design and paths have parts of their own. */
const parts = [
  [/^(README|ARCHITECTURE|GLOSSARY|CONTRIBUTING|SECURITY|CHANGELOG)\.md$/, 'heapsmith'],
  [/^docs\/[^/]+\.md$/, 'Guides and reference'],
  [/^docs\/paths\//, 'Calls followed'],
  [/^docs\/results\//, 'Results'],
  [/^docs\/design\//, 'Design'],
  [/^rust\//, 'Rust'],
  [/\.md$/, 'Measuring'],
];

/** All Markdown files that git knows or would add, as paths from the root of the repository. */
export function listPages(root) {
  const command = ['-C', root, 'ls-files', '-co', '--exclude-standard', '--', '*.md'];
  const names = execFileSync('git', command, { encoding: 'utf8' }).split('\n').filter(Boolean);
  return names
    .filter((name) => existsSync(join(root, name)))
    .map((name) => {
      const text = readFileSync(join(root, name), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '') ?? name;
      return { name, text, title, part: parts.find(([pattern]) => pattern.test(name))[1] };
    })
    .sort((a, b) => order(a) - order(b) || a.name.localeCompare(b.name));
}

function order({ name }) {
  const part = parts.findIndex(([pattern]) => pattern.test(name));
  const first = name === 'README.md' || name === 'docs/README.md';
  return part * 2 + (first ? 0 : 1);
}

/** The file of a page in the site. */
export function fileOf(name) {
  return name === 'README.md' ? 'index.html' : name.replace(/\.md$/, '.html');
}

/** The address of a file of the site, as seen from a page of it. */
export function addressFrom(page, file) {
  return relative(dirname(fileOf(page)), file) || '.';
}

/**
 * Where a link of a page leads. A link to another page leads to its HTML, one to a file or folder
 * of the repository to a copy of it, which `sources` collects.
 */
export function resolveLink(root, page, link, sources) {
  if (/^[a-z]+:/.test(link) || link.startsWith('#')) return link;
  const [path, anchor] = link.split('#');
  const target = normalize(join(dirname(page), path)).replace(/\/$/, '');
  if (!existsSync(join(root, target))) throw new Error(`${page}: dead link to ${link}`);
  const end = anchor ? `#${anchor}` : '';
  if (target.endsWith('.md')) return addressFrom(page, fileOf(target)) + end;
  if (/\.(png|svg|jsonl\.gz)$/.test(target)) {
    sources.set(target, target);
    return addressFrom(page, target);
  }
  const isFolder = statSync(join(root, target)).isDirectory();
  const copy = isFolder ? join('source', target, 'index.html') : `source/${target}.html`;
  sources.set(target, copy);
  return addressFrom(page, copy);
}
