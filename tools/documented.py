"""The fenced blocks and headings of Markdown files: what check_docs counts and a test runs.

A block of `sh` or `console` has commands; so has one without a language that shows some. Its
info string may go on with "not run here: REASON"; otherwise a test runs it. A block of another
language may have the name of a file, which the test writes before it runs the blocks after it."""

import re
from pathlib import Path
from typing import NamedTuple

SHELLS = {"sh", "console"}
NOT_RUN = "not run here: "
FENCE = re.compile(r"^(`{3,})(.*)$")


class Block(NamedTuple):
    line: int
    language: str
    info: str  # the info string after the language
    code: str

    @property
    def reason(self) -> str:
        """Why no test runs the block; empty if one does."""
        return self.info.removeprefix(NOT_RUN) if self.info.startswith(NOT_RUN) else ""

    @property
    def commands(self) -> list[str]:
        """One string for each command. A line that ends with a backslash goes on."""
        if self.language == "":
            return re.findall(r"^(?:\$ |(?=\./dev ))(.*)", self.code, re.MULTILINE)
        if self.language not in SHELLS:
            return []
        lines = self.code.replace("\\\n", "").splitlines()
        if self.language == "console":
            return [line[2:] for line in lines if line.startswith("$ ")]
        return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def split(text: str) -> tuple[list[Block], list[tuple[int, str]]]:
    """The blocks of a page, and its lines outside of blocks with their numbers."""
    blocks, prose, fence, start, info, code = [], [], "", 0, "", []
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if fence:
            if found and found[1] == fence and not found[2].strip():
                language, _, rest = info.strip().partition(" ")
                blocks.append(Block(start, language, rest.strip(), "\n".join(code) + "\n"))
                fence = ""
            else:
                code.append(line)
        elif found:
            fence, info, start, code = found[1], found[2], number, []
        else:
            prose.append((number, line))
    if fence:
        raise ValueError(f"line {start}: a block without an end")
    return blocks, prose


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    found: set[str] = set()
    for _, line in split(text)[1]:
        heading = re.match(r"#{1,6} (.*)", line)
        if not heading:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", heading[1]).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number, free = 0, name
        while free in found:
            number += 1
            free = f"{name}-{number}"
        found.add(free)
    return found


def pages_of_the_command(root: Path) -> set[str]:
    """The pages whose blocks of `console` lab/cli/tests/documented.rs runs."""
    return set(re.findall(r'check\("([^"]+)"', (root / "lab/cli/tests/documented.rs").read_text()))


def test_of(root: Path, page: str, block: Block) -> str:
    """The test that runs a block with commands; empty if none does, which is an error."""
    if page == "README.md":
        # It refuses blocks that it does not run; of one without a language it only reads the verbs.
        return "tests/consume/readme.py" if block.language else ""
    if page in pages_of_the_command(root):
        return "lab/cli/tests/documented.rs" if block.language == "console" else ""
    if page.startswith("docs/") and page.count("/") == 1:
        return "tests/documented/run.py"
    return ""
