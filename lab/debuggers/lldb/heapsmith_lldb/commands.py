"""The commands: heapsmith info, and heapsmith block ADDRESS."""

import contextlib
import io

import lldb

from heapsmith_debug import block, overview
from heapsmith_debug.problem import Problem


def carry_out(show, debugger, argument, result):
    """Carries out a command, and reports a problem in one line."""
    lldb.debugger = debugger  # lldb sets it only while it runs a script of the user
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            show(argument)
    except Problem as problem:
        result.SetError(f"heapsmith: {problem}")
    result.AppendMessage(said.getvalue().rstrip("\n"))


def info(debugger, argument, _context, result, _names):
    carry_out(overview.show, debugger, argument, result)


def show_block(debugger, argument, _context, result, _names):
    carry_out(block.show, debugger, argument, result)


info.__doc__, show_block.__doc__ = overview.show.__doc__, block.show.__doc__


def register(debugger):
    for command in ("command container add -h 'Commands for heapsmith.' heapsmith",
                    f"command script add -o -f {__name__}.info heapsmith info",
                    f"command script add -o -f {__name__}.show_block heapsmith block"):
        debugger.HandleCommand(command)
