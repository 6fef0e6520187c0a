# Runs in gdb: compares what its commands print with what the program wrote down.
import os
import re

import gdb


def printed(command):
    return gdb.execute(command, to_string=True).rstrip("\n")


def main_frame():
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != "main":
        frame = frame.older()
    frame.select()


def number(overview, name):
    return int(re.search(rf"^  {re.escape(name)} +(\d+) bytes", overview, re.M)[1])


def wrong(kind, rest, overview):
    """None if gdb says what the line wants, else what it says."""
    if kind == "block":
        said = printed(f"heapsmith block {rest[0]}".replace("(nil)", "0"))
        return None if re.search(rest[1], said, re.M) else said
    if kind == "number":
        names = ("in use", "freed, carried") if rest[0] == "in use and carried" else (rest[0],)
        said = sum(number(overview, name) for name in names)
        return None if said == int(rest[1]) else said
    if kind == "class":
        said = re.search(rf"^ +{rest[0]} +\d+ +(\d+) +\d+$", overview, re.M)[1]
        return None if said == rest[1] else said
    said = printed(f"print {rest[0]}").partition(" = ")[2]
    return None if said == rest[1] else said


def check(path):
    main_frame()
    overview, failures, lines = printed("info heapsmith"), 0, 0
    for line in open(path, encoding="utf-8").read().splitlines():
        kind, *rest = line.split("\t")
        said = wrong(kind, rest, overview)
        lines += 1
        if said is not None:
            failures += 1
            print(f"FAILED: {line}\n  gdb says: {said}")
    print(f"{lines - failures} of {lines} answers are right")


check(os.environ["TRUTH"])
