"""store.py FOLDER KEYS: fills a store with values of 100 bytes to 16 KiB, changes and reads it."""
import hashlib
import sys

import plyvel

folder, keys = sys.argv[1], int(sys.argv[2])
body = bytes(range(256)) * 64


def key(n):
    return b"key%08d" % (n * 7919 % keys)


def value(n):
    return body[n % 251:n % 251 + 100 + (n * 2654435761 % 16284 if n % 8 == 0 else n % 900)]


db = plyvel.DB(folder, create_if_missing=True, write_buffer_size=2 << 20, block_size=16 << 10,
               lru_cache_size=4 << 20)
for first in range(0, 2 * keys, 200):
    with db.write_batch() as batch:
        for n in range(first, first + 200):
            batch.put(key(n), value(n))
        batch.delete(key(first * 3))
found = sum(len(db.get(key(n * 31), b"")) for n in range(keys))
db.compact_range()
digest = hashlib.sha256()
count = 0
with db.iterator() as every:
    for k, v in every:
        digest.update(k + v)
        count += 1
db.close()
print(found, count, digest.hexdigest())
