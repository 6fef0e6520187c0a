# gdb's commands and printers for heapsmith: (gdb) source heapsmith.py
#
# docs/debugging.md says what they print.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__))))

from heapsmith_gdb import commands, printers  # noqa: E402  (the path is set above)

commands.register()
printers.register()
