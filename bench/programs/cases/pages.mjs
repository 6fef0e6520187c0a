// pages.mjs SOCKET REQUESTS: serves pages of 4 to 256 KiB, gzipped in streams, and reads them.
import { createHash } from 'node:crypto';
import { Agent, createServer, get } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

const [socketPath, requests] = [process.argv[2], Number(process.argv[3])];
const line = (n) => `<li>${n} ${(n * 2654435761) % 4294967296} ${'word '.repeat(n % 7)}</li>\n`;

function* page(number) {
  const chunks = 1 + (number * 7) % 16;
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    let text = '';
    for (let n = 0; text.length < 4096 << (number % 3); n += 1) text += line(number * 31 + n);
    yield Buffer.from(text);
  }
}

const server = createServer((request, response) => {
  response.setHeader('content-encoding', 'gzip');
  Readable.from(page(Number(request.url.slice(1)))).pipe(createGzip({ level: 1 })).pipe(response);
});

function read(number, agent) {
  return new Promise((resolve, reject) => {
    get({ socketPath, path: `/${number}`, agent }, (response) => {
      const hash = createHash('sha256');
      response.pipe(createGunzip()).on('data', (part) => hash.update(part))
        .on('end', () => resolve(hash.digest('hex'))).on('error', reject);
    }).on('error', reject);
  });
}

server.listen(socketPath, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const answers = new Array(requests);
  let next = 0;
  const client = async () => {
    while (next < requests) {
      const number = next;
      next += 1;
      answers[number] = await read(number, agent);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  console.log(createHash('sha256').update(answers.join('')).digest('hex'));
  agent.destroy();
  server.close();
});
