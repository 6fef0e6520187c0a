// Worker threads that make, compress and pass buffers. Each prints a digest of its results.
import { createHash, createCipheriv, createDecipheriv } from "node:crypto";
import { fileURLToPath } from "node:url";
import { deflateSync, inflateSync, gzip } from "node:zlib";
import { promisify } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const sha = (data) => createHash("sha256").update(data).digest("hex").slice(0, 32);

function* numbers(seed, count) {
  let state = seed >>> 0;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

// Buffers of many sizes that live together outside the JavaScript heap.
function buffers(seed) {
  const all = [...numbers(seed, 1500)].map((n) => Buffer.alloc(n % 20000, String(n)));
  const packed = all.map((buffer) => deflateSync(buffer));
  const same = packed.every((data, i) => inflateSync(data).equals(all[i]));
  return `${same} ${sha(Buffer.concat(packed))}`;
}

function cipher(seed) {
  const key = Buffer.alloc(32, seed), iv = Buffer.alloc(16, 1), text = Buffer.alloc(300001, "text");
  const to = createCipheriv("aes-256-cbc", key, iv);
  const secret = Buffer.concat([to.update(text), to.final()]);
  const from = createDecipheriv("aes-256-cbc", key, iv);
  return `${sha(secret)} ${Buffer.concat([from.update(secret), from.final()]).equals(text)}`;
}

function records(seed) {
  const list = [...numbers(seed, 30000)].map((n, id) => ({ id, n, name: n.toString(36) }));
  list.sort((a, b) => a.name.localeCompare(b.name, "en") || a.id - b.id);
  return sha(JSON.stringify(JSON.parse(JSON.stringify(list)).map((r) => r.id)));
}

if (isMainThread) {
  const file = fileURLToPath(import.meta.url);
  for (let round = 0; round < (process.argv[2] ?? 2); round++) {
    const answers = [1, 2, 3, 4].map((seed) => new Promise((resolve, reject) => {
      const worker = new Worker(file, { workerData: { seed: seed + round * 10 } });
      worker.once("message", resolve).once("error", reject);
    }));
    for (const { lines, bytes } of await Promise.all(answers)) {
      console.log(lines.join("\n"));
      console.log(`received ${bytes.byteLength} ${sha(Buffer.from(bytes))}`);
    }
  }
  const jobs = [...numbers(5, 40)].map((n) => promisify(gzip)(Buffer.alloc(n % 300000, "pool")));
  console.log(`pool ${sha(Buffer.concat(await Promise.all(jobs)))}`);
} else {
  const { seed } = workerData;
  const lines = [buffers, cipher, records].map((work) => `${seed} ${work.name} ${work(seed)}`);
  const bytes = Uint32Array.from(numbers(seed, 100000)).buffer;
  parentPort.postMessage({ lines, bytes }, [bytes]);
}
