// The frame around each page: the bar with the search, the navigation, and the headings.
import { addressFrom, fileOf } from './pages.mjs';

export function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function navigation(pages, current) {
  const parts = Map.groupBy
    ? Map.groupBy(pages, (page) => page.part)
    : pages.reduce(
        (map, page) => map.set(page.part, [...(map.get(page.part) ?? []), page]),
        new Map(),
      );
  return [...parts]
    .map(([part, members]) => {
      const isOpen = members.includes(current) || part === 'Guides and reference';
      const items = members.map((page) => {
        const here = page === current ? ' aria-current="page"' : '';
        const address = addressFrom(current.name, fileOf(page.name));
        return `<li><a href="${address}"${here}>${escape(page.title)}</a></li>`;
      });
      return `<details${isOpen ? ' open' : ''}><summary>${part}</summary><ul>${items.join('')}</ul></details>`;
    })
    .join('');
}

/** A whole page. `headings` are those of the second and third level. */
export function frame({ pages, current, body, headings, references }) {
  const at = (file) => addressFrom(current.name, file);
  const root = at('index.html').replace(/index\.html$/, '');
  const links = references.map(([title, file]) => `<li><a href="${at(file)}">${title}</a></li>`);
  const contents = headings.map(
    ({ level, id, text }) => `<li class="h${level}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en" data-root="${root}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(current.title)} – heapsmith</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at('style.css')}">
<header><a href="${at('index.html')}">heapsmith</a>
<div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search">
<ul id="found" hidden></ul></div>
<button id="theme" type="button" aria-label="Light or dark">◐</button></header>
<div class="frame">
<nav aria-label="Pages"><details class="menu" open><summary>Pages</summary>${navigation(pages, current)}
<ul>${links.join('')}</ul></details></nav>
<main>${body}<footer>This page is <code>${escape(current.source ?? current.name)}</code> in the
repository.</footer></main>
<nav class="on-page" aria-label="On this page"><ul>${contents.join('')}</ul></nav>
</div>
<script>if (matchMedia('(max-width: 52rem)').matches) document.querySelector('.menu').open = false;</script>
<script src="${at('minisearch.js')}"></script>
<script src="${at('search-index.js')}"></script>
<script src="${at('search.js')}"></script>
</html>
`;
}
