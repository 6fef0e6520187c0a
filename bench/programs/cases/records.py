"""Records, indices, texts and classes, as a data script makes them: records.py ROUNDS."""
import collections
import json
import re
import sys
from dataclasses import dataclass, field


@dataclass
class Record:
    key: int
    name: str
    tags: list = field(default_factory=list)


def numbers(seed):
    while True:
        seed = (seed * 1103515245 + 12345) % 2**31
        yield seed >> 8


def work(seed):
    random = numbers(seed)
    records = [
        Record(key, f"name{next(random) % 5000:05}", [next(random) % 50 for _ in range(key % 5)])
        for key in range(30000)
    ]
    by_name = collections.defaultdict(list)
    for record in records:
        by_name[record.name].append(record)
    for name in [name for name in by_name if len(by_name[name]) < 4]:
        del by_name[name]
    tags = collections.Counter(tag for record in records for tag in record.tags)
    text = json.dumps([{"k": r.key, "n": r.name, "t": r.tags} for r in records[: 15000]])
    back = json.loads(text)
    swapped = re.sub(r'"n": "name(\d)(\d+)"', r'"n": "\2\1"', text)
    lines = sorted(f"{name}:{len(group)}" for name, group in by_name.items())
    squares = {key * key: str(key) for key in range(40000)}
    big = 1
    for key in range(1, 900):
        big *= key
    total = sum(len(squares.get(r.key, "")) for r in records)
    return len(back), hash(swapped), hash("".join(lines)), tags.most_common(3), total, hash(big)


for turn in range(int(sys.argv[1])):
    print(*work(turn + 1))
