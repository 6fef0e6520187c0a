// The public names of the Rust crates, from the lists of all items that rustdoc has written.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const crates = ['heapsmith', 'heapsmith_derive', 'heapsmith_sys'];
const users = ['examples', 'tests', 'src'].map((part) => `rust/heapsmith/${part}`);
const usersOf = { heapsmith_sys: ['rust/heapsmith-sys/tests', 'rust/heapsmith/src'] };
const item = /<li><a href="([^"]+)">([^<]+)<\/a>/g;

function programsBelow(root, folder) {
  const names = readdirSync(join(root, folder), { recursive: true }).map(String).sort();
  const files = names.filter((name) => name.endsWith('.rs')).map((name) => join(folder, name));
  return files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
}

/** Each name with its page below `pages`, and the first file that uses it, examples first. */
export function rustNames(root, pages) {
  const names = [];
  for (const crate of crates) {
    const programs = (usersOf[crate] ?? users).flatMap((folder) => programsBelow(root, folder));
    const list = readFileSync(join(pages, crate, 'all.html'), 'utf8');
    for (const [, page, path] of list.matchAll(item)) {
      const uses = new RegExp(`\\b${path.split('::').at(-1)}\\b`);
      const user = programs.find((program) => uses.test(program.text))?.file;
      names.push([`${crate}::${path}`, { page: `${crate}/${page}`, user }]);
    }
  }
  return names.sort(([a], [b]) => a.localeCompare(b));
}
