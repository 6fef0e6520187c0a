#!/usr/bin/env python3
"""Validates real output of the command against docs/schema: results of `heapsmith try`, with memory
curves, advice and a failure, and those of `heapsmith diff`. Then it breaks each line in three ways,
and the schema must refuse each. Arguments: the source tree, the installed prefix, the folder in
which the command was built."""

import copy
import json
import sys
import tempfile
from pathlib import Path

import run

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is missing")
    sys.exit(run.SKIPPED)

# Under this allocator the program fails.
REFUSES = "'heapsmith;HEAPSMITH_LIMIT_BYTES=1'"
OUTPUTS = {
    "results.schema.json": (
        ["heapsmith try --rounds 6 --alloc heapsmith --memory --json a.json -- ./app input",
         f"heapsmith try --rounds 6 --alloc {REFUSES} --json b.json -- ./app input || true",
         "heapsmith try --rounds 6 --alloc heapsmith --record --json c.json -- ./app input"],
        {"sample", "ratio", "failure", "curve", "process", "advice", "verdict"}),
    "diff.schema.json": (
        ["heapsmith diff old.json new.json --json a.json || true",
         "heapsmith diff old.json failed.json --json b.json || true"],
        {"change", "diff", "failure", "missing"}),
}


def damaged(line: dict) -> list[dict]:
    """The line with an unknown member, without one, and with one of another type."""
    with_more, with_less, other = (copy.deepcopy(line) for _ in range(3))
    with_more["unknown"] = 1
    with_less.pop("kind")
    name = next(name for name in line if name not in ("kind", "schema"))
    other[name] = [[line[name]]]
    return [with_more, with_less, other]


def check(schema: Path, files: list[Path], kinds: set[str]) -> int:
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text()))
    validator.check_schema(validator.schema)
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    for line in lines:
        error = jsonschema.exceptions.best_match(validator.iter_errors(line))
        if error:
            sys.exit(f"{schema.name}: {error.json_path}: {error.message}\n{json.dumps(line)[:2000]}")
        for wrong in damaged(line):
            if validator.is_valid(wrong):
                sys.exit(f"{schema.name} accepts {json.dumps(wrong)[:2000]}")
    if kinds - {line["kind"] for line in lines}:
        sys.exit(f"{schema.name}: no line of kind {kinds - {line['kind'] for line in lines}}")
    return len(lines)


def main() -> None:
    source, prefix, built = (Path(argument) for argument in sys.argv[1:4])
    if not (built / "heapsmith").exists():
        print("skipped: the command has not been built")
        sys.exit(run.SKIPPED)
    count = 0
    for name, (commands, kinds) in OUTPUTS.items():
        with tempfile.TemporaryDirectory(prefix="heapsmith-schema-") as folder:
            at = Path(folder)
            environment = run.furnish(at, prefix, built, True)
            more = f"""cp old.json new.json
              heapsmith try --rounds 6 --alloc {REFUSES} --json failed.json -- ./app input || true"""
            for command in [more, *commands]:
                run.run(command, at, environment)
            made = [file for file in sorted(at.glob("?.json"))]
            count += check(source / "docs/schema" / name, made, kinds)
    print(f"ok: {count} lines")


if __name__ == "__main__":
    main()
