#!/usr/bin/env python3
"""Runs the commands of a page of docs/, in order, in a folder of their own.

Arguments: the source tree, the installed prefix, the folder in which the command was built, the
page, such as docs/deployment.md. Blocks with a file's name are written first. A block of `sh` must
succeed. Under a command of `console` the page shows what it prints: "..." stands for any lines or
none, and within a line for any text. The folder has ./app, which allocates, and its input; where the
page uses the command, also traces and results, as earlier runs left them. Without the command, such
a page is skipped."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
HERE = Path(__file__).resolve().parent


def run(code: str, folder: Path, environment: dict[str, str],
        options: str = "-euo pipefail") -> tuple[str, dict[str, str]]:
    """Returns stdout and then stderr, and the environment that they leave."""
    kept = folder / ".environment"
    script = f"{code}\nenv -0 >{kept}\n"
    done = subprocess.run(["bash", *options.split(), "-c", script], cwd=folder, env=environment,
                          text=True, timeout=120, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}\n{code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr, dict(e.split("=", 1) for e in kept.read_text().split("\0") if e)


def fits(shown: list[str], lines: list[str]) -> bool:
    if not shown:
        return not lines
    if shown[0] == "...":
        return any(fits(shown[1:], lines[at:]) for at in range(len(lines) + 1))
    pattern = r".*".join(re.escape(" ".join(part.split())) for part in shown[0].split("..."))
    return bool(lines) and bool(re.fullmatch(pattern.replace(r"\ ", r"\s*"), lines[0].strip())) and \
        fits(shown[1:], lines[1:])


def run_console(code: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    for example in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, shown = example.partition("\n")
        said, environment = run(command, folder, environment, "-e")  # a pipe may end early
        if not fits(shown.splitlines(), said.splitlines()):
            sys.exit(f"$ {command}\nprinted\n{said}\nand the page has\n{shown}")
    return environment


def furnish(folder: Path, prefix: Path, built: Path, has_command: bool) -> dict[str, str]:
    libraries = prefix / "lib"
    environment = {
        "HOME": str(folder), "LANG": "C.UTF-8", "PATH": f"{built}:{os.environ['PATH']}",
        "HEAPSMITH_LAB_DIR": str(built / "lab"),
        "PKG_CONFIG_PATH": f"{libraries}/pkgconfig", "CMAKE_PREFIX_PATH": str(prefix),
        "LD_LIBRARY_PATH": str(libraries), "CPATH": f"{prefix}/include"}
    before = f"cc -O1 -g -fno-omit-frame-pointer {HERE}/app.c -o app; seq 2000 >input"
    if has_command:
        before += """
          heapsmith record -o old.trace -- ./app input; cp old.trace new.trace
          heapsmith try --rounds 6 --alloc heapsmith --json old.json -- ./app input
          for name in app new monday friday; do cp old.json $name.json; done; rm -f *.html"""
    run(before, folder, environment)
    return environment


def main() -> None:
    source, prefix, built = (Path(argument) for argument in sys.argv[1:4])
    page = sys.argv[4]
    sys.path.insert(0, str(source / "tools"))
    import documented
    blocks = documented.split((source / page).read_text())[0]
    has_command = any(command.startswith("heapsmith ") for block in blocks if not block.reason
                      for command in block.commands)
    if has_command and not (built / "heapsmith").exists():
        print("skipped: the command has not been built")
        sys.exit(SKIPPED)
    count = 0
    with tempfile.TemporaryDirectory(prefix="heapsmith-docs-") as name:
        folder = Path(name)
        environment = furnish(folder, prefix, built, has_command)
        for block in blocks:
            if block.commands and not block.reason:
                if block.language == "console":
                    environment = run_console(block.code, folder, environment)
                else:
                    environment = run(block.code, folder, environment)[1]
                count += len(block.commands)
            elif re.fullmatch(r"[\w-]+(\.\w+)+|Dockerfile", block.info):
                (folder / block.info).write_text(block.code)
    print(f"ok: {count} commands of {page}")


if __name__ == "__main__":
    main()
