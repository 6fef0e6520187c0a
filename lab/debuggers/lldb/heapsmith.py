# lldb's commands and formatters for heapsmith: (lldb) command script import heapsmith.py
#
# docs/debugging.md says what they print.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.dirname(here)]  # the second has heapsmith_debug

from heapsmith_lldb import commands, formatters  # noqa: E402  (the path is set above)


def __lldb_init_module(debugger, _names):
    # lldb looks for functions by name among what its own interpreter has imported.
    debugger.HandleCommand("script import heapsmith_lldb.commands, heapsmith_lldb.formatters")
    commands.register(debugger)
    formatters.register(debugger)
