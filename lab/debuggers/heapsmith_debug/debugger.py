"""The debugger that has loaded this package: heapsmith_gdb.debugger or heapsmith_lldb.debugger."""

import sys

if "gdb" in sys.modules:
    from heapsmith_gdb.debugger import *  # noqa: F403
else:
    from heapsmith_lldb.debugger import *  # noqa: F403
