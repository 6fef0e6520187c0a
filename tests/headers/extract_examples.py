#!/usr/bin/env python3
"""Makes tests of the examples in the comments of a public header, without changing them.

Arguments: the include folder, the header in it, the source to write, and optionally a header with
declarations that the examples use. Each fenced block of cpp becomes the body of a test. A header
without an example is an error."""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^ *(?:\*|///) ?```cpp\n(.*?)^ *(?:\*|///) ?```$", re.MULTILINE | re.DOTALL)
MARGIN = re.compile(r"^ *(?:\*|///) ?", re.MULTILINE)

SOURCE = """// The examples of {header}, made by extract_examples.py.
#include "{header}"

#include <gtest/gtest.h>

#include "heapsmith/heapsmith.hpp"
{given}
// Examples name what they do not use.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-result"

namespace {{
{tests}
}}  // namespace
"""


def main() -> None:
    folder, header, source, given = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:]
    path = Path(folder) / header
    text = path.read_text()
    name = re.sub(r"\W", "_", header.removeprefix("heapsmith/").removesuffix(".hpp"))
    tests = []
    for number, block in enumerate(BLOCK.finditer(text), 1):
        line = text.count("\n", 0, block.start(1)) + 1
        code = MARGIN.sub("", block[1])
        tests.append(f'\nTEST(HeaderExamples, {name}_{number}) {{\n#line {line} "{path}"\n{code}}}\n')
    if not tests:
        sys.exit(f"{header} has no example")
    includes = "".join(f'#include "{each}"\n' for each in given)
    source.write_text(SOURCE.format(header=header, given=includes, tests="".join(tests)))


main()
