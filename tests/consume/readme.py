#!/usr/bin/env python3
"""Compiles and runs the quickstarts of the README exactly as printed there.

Arguments: the README, the installed prefix, the build directory, a directory to work in. Under a
heading "Quickstart: …", a fenced block of C, C++ or CMake becomes a file named after its language.
A block of sh runs after the blocks before it have been written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FILES = {"c": "app.c", "cpp": "app.cpp", "cmake": "CMakeLists.txt"}
SECTION = re.compile(r"^### Quickstart: (.+?)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(title: str, text: str, folder: Path, environment: dict[str, str]) -> int:
    """Runs one quickstart in its own folder. Returns the number of sh blocks."""
    ran = 0
    for language, code in BLOCK.findall(text):
        if language != "sh":
            (folder / FILES[language]).write_text(code)
            continue
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, text=True,
                              env=environment, capture_output=True, timeout=120)
        print(f"--- {title}\n{code}{done.stdout}{done.stderr}")
        if done.returncode != 0:
            sys.exit(f"{title}: exit code {done.returncode}")
        if "PRELOAD" in code and "heapsmith" not in done.stderr:
            sys.exit(f"{title}: heapsmith printed no statistics")
        ran += 1
    return ran


def main() -> None:
    readme, prefix, build, scratch = map(Path, sys.argv[1:])
    libraries = next(prefix.rglob("libheapsmith.so")).parent
    environment = os.environ | {
        "CMAKE_PREFIX_PATH": str(prefix), "LD_LIBRARY_PATH": str(libraries),
        "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
    }
    sections = SECTION.findall(readme.read_text())
    shutil.rmtree(scratch, ignore_errors=True)
    for number, (title, text) in enumerate(sections):
        folder = scratch / str(number)
        # A quickstart that runs from the checkout expects the build in build/release.
        (folder / "build").mkdir(parents=True)
        (folder / "build" / "release").symlink_to(build)
        if run(title, text, folder, environment) == 0:
            sys.exit(f"{title}: has no commands")
    if [title for title, _ in sections] != ["C", "C++", "memory of your own", "any program"]:
        sys.exit(f"unexpected quickstarts: {[title for title, _ in sections]}")


main()
