#!/usr/bin/env python3
"""Makes each mistake of mistakes.cpp under each tool, and compares with the table of the page.

Arguments: the source tree, the installed prefix; with --print, prints the table instead. A cell is
"found" if the tool reports the mistake, "aborts" if heapsmith does, and "no" if nothing happens.
Tools that are missing leave their columns untested, and a line names them."""

import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FAMILIES = {
    "malloc": "`malloc`, heapsmith not linked", "hs_malloc": "`hs_malloc`, first-class heaps",
    "arena": "`arena`", "scope": "`scope`", "pool_resource": "`unsynchronized_pool`",
    "pool": "`pool<T>`", "region": "`region`, library built without the tool"}
MEMCHECK = ["valgrind", "-q", "--error-exitcode=9"]
# Column: the compiler and its flags, the command before the program, mistakes.
TOOLS = {
    "ASan": (["g++", "-fsanitize=address"], [], ["past", "after"]),
    "MSan": (["clang++-19", "-fsanitize=memory"], [], ["unset"]),
    "Memcheck": (["g++"], MEMCHECK, ["past", "after", "unset"]),
    "Memcheck, `HEAPSMITH_VALGRIND`": (
        ["g++", "-DHEAPSMITH_VALGRIND"], MEMCHECK, ["past", "after", "unset"]),
}
TITLES = {"past": "write past the end", "after": "write after the end", "unset": "unset value"}


def outcome(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if re.search(r"^heapsmith: ", done.stderr, re.MULTILINE):
        return "aborts"
    return "found" if done.returncode != 0 else "no"


def column(tool: str, source: Path, prefix: Path, folder: Path) -> dict[tuple[str, str], str]:
    compiler, before, mistakes = TOOLS[tool]
    program = str(folder / re.sub(r"\W", "_", tool))
    subprocess.run(
        [*compiler, "-std=c++20", "-g", "-O1", "-w", f"-I{prefix}/include",
         str(source / "tests/documented/mistakes.cpp"), str(prefix / "lib/libheapsmith.a"), "-o",
         program], check=True)
    return {(family, mistake): outcome([*before, program, family, mistake])
            for family in FAMILIES for mistake in mistakes}


def rows(found: dict[str, dict[tuple[str, str], str]]) -> list[list[str]]:
    """The table: a line for each mistake under each tool, a column for each family."""
    lines = [["tool", "mistake", *FAMILIES.values()]]
    for tool, outcomes in found.items():
        for mistake in TOOLS[tool][2]:
            cells = [outcomes[family, mistake] for family in FAMILIES]
            lines.append([tool, TITLES[mistake], *cells])
    return lines


def main() -> None:
    source, prefix = Path(sys.argv[1]), Path(sys.argv[2])
    usable = [tool for tool, (compiler, before, _) in TOOLS.items()
              if shutil.which(compiler[0]) and all(shutil.which(word) for word in before[:1])]
    for tool in TOOLS.keys() - usable:
        print(f"not tested: {tool} is not installed")
    with tempfile.TemporaryDirectory(prefix="heapsmith-sanitizers-") as name, \
            ThreadPoolExecutor(2) as pool:
        columns = pool.map(lambda tool: column(tool, source, prefix, Path(name)), usable)
        made = rows(dict(zip(usable, columns)))
    lines = ["| " + " | ".join(cells) + " |" for cells in made]
    if "--print" in sys.argv:
        print("\n".join([lines[0], "|---" * len(made[0]) + "|", *lines[1:]]))
        return
    page = (source / "docs/sanitizers.md").read_text()
    wrong = [line for line in lines if line not in page]
    if wrong or len(lines) < 4:
        sys.exit("docs/sanitizers.md does not have these lines:\n" + "\n".join(wrong))
    print(f"ok: {len(lines) - 1} lines")


if __name__ == "__main__":
    main()
