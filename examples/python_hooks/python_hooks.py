#!/usr/bin/python3
"""A script under python_hooks, the extension beside it, and the same without the hooks.

usage: python-hooks                                    prints the results
       python-hooks CONTENDER WORKLOAD [--quick | --short] or --list
"""

import json
import platform
import sys
import time
import zlib

LIMIT_BYTES = 256 << 20


def documents(count):
    """Builds, writes, reads, sorts and sums up small objects. Returns a number for all of them."""
    sum_of_all = 0
    for i in range(count):
        lines = [{"id": n, "name": f"line {n * 7 % 101}", "parts": [n, n + 1, (n, i)]}
                 for n in range(200)]
        copy = json.loads(json.dumps(lines))
        copy.sort(key=lambda line: (line["name"], line["id"]))
        names = {line["name"]: line["id"] for line in copy}
        text = ",".join(f"{name}={number}" for name, number in names.items())
        sum_of_all += zlib.crc32(text.encode()) + sum(line["parts"][2][1] for line in copy)
    return sum_of_all


def install():
    import python_hooks

    python_hooks.install(LIMIT_BYTES)
    return python_hooks


def show():
    before = documents(20)
    hooks = install()
    after = documents(20)
    print("checksum:", after)
    try:
        bytearray(LIMIT_BYTES)
        print("more than the limit: allocated")
    except MemoryError:
        print("more than the limit: MemoryError")
    print("objects in the region:", "yes" if hooks.in_use_bytes() > 0 else "no")
    return 0 if before == after else 1


def peak_rss_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024


def measure(contender, options):
    count = 20 if "--short" in options else 100 if "--quick" in options else 400
    if contender == "heapsmith":
        install()
    begin = time.perf_counter()
    answer = documents(count)
    seconds = time.perf_counter() - begin
    print(f"contender {contender}\nversion {platform.python_version()}")
    print(f"value wall_s threads=1 {seconds:.9g}")
    print(f"value peak_rss_bytes threads=1 {peak_rss_bytes()}")
    print(f"check {answer % 2**64:016x}")
    return 0


def main(words):
    if not words:
        return show()
    if words == ["--list"]:
        print("python-hooks std 1\npython-hooks heapsmith 1")
        return 0
    if len(words) < 2 or words[0] not in ("std", "heapsmith") or words[1] != "python-hooks":
        print(__doc__, file=sys.stderr)
        return 2
    return measure(words[0], words[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
