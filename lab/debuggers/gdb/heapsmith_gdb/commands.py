"""The commands: info heapsmith, and heapsmith block ADDRESS."""

import gdb

from heapsmith_debug import block, overview
from heapsmith_debug.problem import Problem


class Command(gdb.Command):
    """Carries out a command, and reports a problem in one line."""

    def __init__(self, name, run):
        self.run, self.__doc__ = run, run.__doc__
        super().__init__(name, gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        try:
            self.run(argument)
        except Problem as problem:
            raise gdb.GdbError(f"heapsmith: {problem}") from None
        except gdb.error as error:
            raise gdb.GdbError(str(error)) from None


class Prefix(gdb.Command):
    """Commands for heapsmith."""

    def __init__(self):
        super().__init__("heapsmith", gdb.COMMAND_DATA, prefix=True)


def register():
    Prefix()
    Command("info heapsmith", overview.show)
    Command("heapsmith block", block.show)
