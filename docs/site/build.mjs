// Writes the Markdown of the repository as plain pages that work from file://, with a search.
// Usage: build.mjs ROOT OUT [TITLE=FILE…]; the last are references that other tools have written.
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import MiniSearch from 'minisearch';
import { escape, frame } from './src/html.mjs';
import { publicNames } from './src/names.mjs';
import { addressFrom, fileOf, listPages, resolveLink } from './src/pages.mjs';
import { rustNames } from './src/rust_names.mjs';

const [root, out, ...references] = process.argv.slice(2);
const here = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const sources = new Map();
const pages = listPages(root);
const searchOptions = {
  fields: ['heading', 'text', 'page'],
  storeFields: ['heading', 'page', 'address'],
};
const search = new MiniSearch({ ...searchOptions });
let sections = 0;

function write(file, text) {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), text);
}

/** The name that GitHub gives to a heading; tools/documented.py has the same rule. */
function slug(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

const markdown = new MarkdownIt({ html: false }).use(anchor, {
  slugify: slug,
  uniqueSlugStartIndex: 1,
  tabIndex: false,
  permalink: anchor.permalink.headerLink({ class: 'anchor' }),
});
markdown.renderer.rules.table_open = () => '<div class="table"><table>';
markdown.renderer.rules.table_close = () => '</table></div>';

/** Adds each section to the search, and returns the headings. */
function read(page, tokens) {
  const headings = [];
  let section = { heading: page.title, address: fileOf(page.name), text: '' };
  const add = () => search.add({ id: sections++, page: page.title, ...section });
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open' && token.tag !== 'h1') {
      add();
      const text = tokens[at + 1].children
        .filter((child) => child.type === 'text' || child.type === 'code_inline')
        .map((child) => child.content)
        .join('');
      const id = token.attrGet('id');
      section = { heading: text, address: `${fileOf(page.name)}#${id}`, text: '' };
      if (token.tag <= 'h3') headings.push({ level: token.tag[1], id, text });
    } else if (token.type === 'inline' || token.type === 'fence') {
      section.text += ` ${token.content}`;
    }
  });
  add();
  return headings;
}

function relink(page, tokens) {
  for (const token of tokens) {
    for (const name of ['href', 'src']) {
      const link = token.attrGet(name);
      const isAnchor = token.attrGet('class') === 'anchor';
      if (link && !isAnchor) token.attrSet(name, resolveLink(root, page.name, link, sources));
    }
    if (token.children) relink(page, token.children);
  }
}

const linked = references.map((reference) => reference.split('='));
for (const page of pages) {
  const tokens = markdown.parse(page.text, {});
  relink(page, tokens);
  const headings = read(page, tokens);
  const body = markdown.renderer.render(tokens, markdown.options, {});
  write(fileOf(page.name), frame({ pages, current: page, body, headings, references: linked }));
}

/** Each line has a name, so that links can lead to it. */
function numbered(text) {
  const lines = text.trimEnd().split('\n');
  return lines.map((line, at) => `<span id="L${at + 1}">${escape(line)}</span>`).join('\n');
}

/** A file of the repository as a page, or a folder as a list of its files. */
function sourcePage(target, copy) {
  const name = copy.replace(/\.html$/, '.md');
  const current = { name, source: target, title: target, part: '' };
  const isFolder = statSync(join(root, target)).isDirectory();
  const entry = (file) => {
    const path = join(target, file);
    if (statSync(join(root, path)).isDirectory()) return `<li>${escape(file)}/</li>`;
    const to = path.endsWith('.md') ? fileOf(path) : `source/${path}.html`;
    if (!path.endsWith('.md') && !sources.has(path)) sources.set(path, to);
    return `<li><a href="${addressFrom(name, to)}">${escape(file)}</a></li>`;
  };
  const body = isFolder
    ? `<ul>${readdirSync(join(root, target)).sort().map(entry).join('')}</ul>`
    : `<pre><code>${numbered(readFileSync(join(root, target), 'utf8'))}</code></pre>`;
  write(
    copy,
    frame({
      pages,
      current,
      body: `<h1>${escape(target)}</h1>${body}`,
      headings: [],
      references: linked,
    }),
  );
}

/** All public names, each with its header or its page of rustdoc, and a program that uses it. */
function namesPage() {
  const current = { name: 'names.md', source: 'include/heapsmith', title: 'Names', part: '' };
  const link = (file, end, words) => {
    sources.set(file, `source/${file}.html`);
    return `<a href="source/${file}.html${end}">${escape(words)}</a>`;
  };
  const row = (name, address, place, placed, user) => {
    search.add({ id: sections++, page: 'Names', heading: name, address, text: placed });
    const used = user ? link(user, '', user) : '–';
    return `<tr><td><code>${name}</code></td><td>${place}</td><td>${used}</td></tr>`;
  };
  const ofHeaders = publicNames(root).map(([name, { header, line, user }]) => {
    const place = link(header, `#L${line}`, header.replace('include/', ''));
    return row(name, 'names.html', place, header, user);
  });
  const ofCrates = rustNames(root, join(out, 'rustdoc')).map(([name, { page, user }]) => {
    const address = `rustdoc/${page}`;
    return row(name, address, `<a href="${address}">${escape(page)}</a>`, page, user);
  });
  const table = (place, rows) => `<div class="table"><table><tr><th>name</th><th>${place}</th>
    <th>used by</th></tr>${rows.join('')}</table></div>`;
  const body = `<h1>Names</h1><p>The public functions of C, and the types and concepts of C++, each with
    its declaration and a program or test that uses it. Comments in the headers are the reference.</p>
    ${table('declared in', ofHeaders)}<h2 id="rust">Rust</h2><p>The public items of the crates, each
    with its page of the reference.</p>${table('described in', ofCrates)}`;
  const headings = [{ level: '2', id: 'rust', text: 'Rust' }];
  write('names.html', frame({ pages, current, body, headings, references: linked }));
}
namesPage();

// A list may add further files while it is written; a Map's loop reaches them, too.
for (const [target, copy] of sources) {
  if (target === copy) {
    mkdirSync(dirname(join(out, copy)), { recursive: true });
    copyFileSync(join(root, target), join(out, copy));
  } else {
    sourcePage(target, copy);
  }
}

const library = join(here, 'node_modules/minisearch/dist/umd/index.js');
write('minisearch.js', readFileSync(library, 'utf8').replace(/^\/\/# sourceMappingURL.*$/m, ''));
write(
  'search-index.js',
  `window.searchOptions = ${JSON.stringify({ ...searchOptions, searchOptions: { prefix: true, fuzzy: 0.1, boost: { heading: 4, page: 2 }, combineWith: 'AND' } })};\n` +
    `window.searchIndex = ${JSON.stringify(search)};\n`,
);
for (const file of ['style.css', 'search.js'])
  copyFileSync(join(here, 'src', file), join(out, file));
console.error(`${pages.length} pages, ${sources.size} files, ${sections} sections in the search`);
