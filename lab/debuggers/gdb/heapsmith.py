# gdb's commands and printers for heapsmith: (gdb) source heapsmith.py
#
# docs/debugging.md says what they print.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.dirname(here)]  # the second has heapsmith_debug

from heapsmith_gdb import commands, printers  # noqa: E402  (the path is set above)

commands.register()
printers.register()
