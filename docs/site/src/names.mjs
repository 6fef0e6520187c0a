// The public names of the headers: where each is declared, and a program or test that uses it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const headers = 'include/heapsmith';
const users = ['examples', 'tests', 'lab', 'bench'];
const declared = [
  /^HS_API [^;(]*?\b(hs_\w+)\(/gm, // a function of C
  /^(?:class|struct|concept|using) (?:\[\[\w+\]\] )?(\w+)(?= (?:final )?[:{=]| \{)/gm, // in C++
];

function filesBelow(root, folder, suffix) {
  const command = ['-C', root, 'ls-files', '-co', '--exclude-standard', '--', folder];
  const names = execFileSync('git', command, { encoding: 'utf8' }).split('\n').sort();
  return names.filter((name) => suffix.test(name));
}

/** Each name with its header, its line there, and the first file that uses it, examples first. */
export function publicNames(root) {
  const read = (file) => ({ file, text: readFileSync(join(root, file), 'utf8') });
  const programs = users.flatMap((folder) => filesBelow(root, folder, /\.(c|cpp|hpp)$/)).map(read);
  const names = new Map();
  for (const { file, text } of filesBelow(root, headers, /\.hp?p?$/).map(read)) {
    if (file.includes('/detail/')) continue;
    for (const pattern of declared) {
      for (const match of text.matchAll(pattern)) {
        if (names.has(match[1])) continue;
        const uses = new RegExp(`\\b${match[1]}\\b`);
        const user = programs.find((program) => uses.test(program.text))?.file;
        const line = text.slice(0, match.index).split('\n').length;
        names.set(match[1], { header: file, line, user });
      }
    }
  }
  return [...names].sort(([a], [b]) => a.localeCompare(b));
}
