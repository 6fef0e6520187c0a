#!/usr/bin/env python3
"""Runs every block of README.md as printed there, as an ordinary user of a machine of their own.

Argument: the source tree. sandbox.py makes the machine: an empty /usr/local, a home /home/you with a
clone of the sources, no variable of the caller. Blocks of "Installing it" run in order, and each
block that installs something is followed by all quickstarts. There, a block of another language
becomes a file, and a block of sh runs after the blocks before it have been written. A block
that is marked as not run here lists commands of ./dev, which must exist. Any other block is an error."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import sandbox

FILES = {"c": "app.c", "cpp": "app.cpp", "cmake": "CMakeLists.txt", "toml": "Cargo.toml",
         "rust": "src/main.rs"}
HEADING_OR_BLOCK = re.compile(r"^(#{1,6}) (.+?)$|^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEV_LINE = re.compile(r"\./dev (\w+)|sudo cmake --install build/release$")


class Block(NamedTuple):
    section: str
    language: str
    code: str


def blocks_of(text: str) -> list[Block]:
    found, section = [], ""
    for _, heading, language, info, code in HEADING_OR_BLOCK.findall(text):
        if heading:
            section = heading
        else:
            is_run = "not run here: " not in info
            found.append(Block(section, language if is_run else "", code))
    return found


def fail(block: Block, why: str) -> None:
    sys.exit(f'README, section "{block.section}": {why}\n{block.code}')


def run(block: Block, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Runs a block of sh. Returns the environment for the blocks after it."""
    as_root = block.code.startswith("sudo ")
    code = re.sub(r"^sudo ", "", block.code, flags=re.MULTILINE) if as_root else block.code
    kept = Path(environment["HOME"]) / ".environment"
    script = f"{code}\nenv -0 >{kept}\n" if not as_root else code
    user = [] if as_root else sandbox.ordinary_user()
    done = subprocess.run([*user, "bash", "-euo", "pipefail", "-c", script], cwd=folder, text=True,
                          env=environment, capture_output=True, timeout=300)
    print(f"--- {block.section}\n{block.code}{done.stdout[-2000:]}{done.stderr[-2000:]}", flush=True)
    if done.returncode != 0:
        fail(block, f"exit code {done.returncode}")
    if "LD_PRELOAD" in code and not re.search(r"^heapsmith [0-9.]+: ", done.stderr, re.MULTILINE):
        fail(block, "heapsmith printed no statistics")
    if as_root:
        return environment
    return dict(entry.split("=", 1) for entry in kept.read_text().split("\0") if entry)


def run_quickstarts(sections: dict[str, list[Block]], home: Path, environment: dict[str, str],
                    is_first: bool) -> None:
    for number, (title, blocks) in enumerate(sections.items()):
        # A program of Cargo uses nothing that is installed.
        if not is_first and any(block.language == "toml" for block in blocks):
            continue
        folder = home / f"install-{1 if is_first else 2}" / f"app-{number}"
        folder.mkdir(parents=True)
        for block in blocks:
            if block.language in FILES:
                file = folder / FILES[block.language]
                file.parent.mkdir(exist_ok=True)
                file.write_text(block.code)
        sandbox.give_to_user(home / f"install-{1 if is_first else 2}")
        commands = [block for block in blocks if block.language == "sh"]
        if not commands:
            sys.exit(f'README, section "{title}": has no commands')
        for block in commands:
            run(block, folder, environment)


def check_dev_lines(block: Block, source: Path) -> None:
    for line in block.code.splitlines():
        found = DEV_LINE.match(line)
        verb = found and found[1]
        if not found or (verb and not (source / "tools" / "dev" / f"{verb}.sh").is_file()):
            fail(block, f"no test for this line: {line}")


def sort_blocks(source: Path) -> tuple[list[Block], dict[str, list[Block]]]:
    """The commands that install, and the blocks of each quickstart. No other blocks are allowed."""
    installing, quickstarts = [], {}
    for block in blocks_of((source / "README.md").read_text()):
        if block.language == "":
            check_dev_lines(block, source)
        elif block.section == "Installing it" and block.language == "sh":
            installing.append(block)
        elif block.section.startswith("Quickstart: ") and block.language in ("sh", *FILES):
            quickstarts.setdefault(block.section, []).append(block)
        else:
            fail(block, "no test for this block")
    return installing, quickstarts


def main() -> None:
    source = Path(sys.argv[1])
    installing, quickstarts = sort_blocks(source)
    sandbox.enter()
    home, environment = sandbox.furnish(source)
    installs = 0
    for block in installing:
        is_install = "cmake --install" in block.code
        if is_install:
            sandbox.forget_installation()
            installs += 1
        after = run(block, home / "heapsmith", environment)
        if is_install:
            run_quickstarts(quickstarts, home, after, installs == 1)
    if installs < 2 or len(quickstarts) < 6:
        sys.exit(f"README has {installs} ways to install and {len(quickstarts)} quickstarts")


if __name__ == "__main__":
    main()
