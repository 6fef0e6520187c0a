"""Compares what a debugger prints with what the program wrote down, for in_gdb.py and in_lldb.py."""

import re


def number(overview, name):
    return int(re.search(rf"^  {re.escape(name)} +(\d+) bytes", overview, re.M)[1])


def wrong(kind, rest, overview, block, variable):
    """None if the debugger says what the line wants, else what it says."""
    if kind == "block":
        said = block(rest[0].replace("(nil)", "0"))
        return None if re.search(rest[1], said, re.M) else said
    if kind == "number":
        names = ("in use", "freed, carried") if rest[0] == "in use and carried" else (rest[0],)
        said = sum(number(overview, name) for name in names)
        return None if said == int(rest[1]) else said
    if kind == "class":
        said = re.search(rf"^ +{rest[0]} +\d+ +(\d+) +\d+$", overview, re.M)[1]
        return None if said == rest[1] else said
    said = variable(rest[0])
    return None if said == rest[1] else said


def check(path, overview, block, variable):
    """`block` and `variable` give what the debugger prints for an address and for a name."""
    failures, lines = 0, 0
    for line in open(path, encoding="utf-8").read().splitlines():
        kind, *rest = line.split("\t")
        said = wrong(kind, rest, overview, block, variable)
        lines += 1
        if said is not None:
            failures += 1
            print(f"FAILED: {line}\n  it says: {said}")
    print(f"{lines - failures} of {lines} answers are right")
