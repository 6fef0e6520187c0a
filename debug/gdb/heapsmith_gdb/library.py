"""Finds the copy of the library that serves the process."""

import gdb

from .layout import Problem, number

MAIN_RANGE = "heapsmith::spans::main_range"


def find_in(objfile, name):
    return objfile.lookup_global_symbol(name) or objfile.lookup_static_symbol(name)


class Library:
    """A shared library or program that contains the heap, with its variables by name."""

    def __init__(self, objfile):
        self.objfile = objfile

    def value(self, name):
        symbol = find_in(self.objfile, name)
        if symbol is None:
            raise Problem(f"the debug information of {self.objfile.filename} lacks {name}")
        return symbol.value()

    def committed(self):
        return number(self.value(MAIN_RANGE)["slices"])


def copies():
    return [Library(o) for o in gdb.objfiles() if find_in(o, MAIN_RANGE) is not None]


def the_library():
    """The copy with the most memory. A libheapsmith.so that has joined another heap has none."""
    if not gdb.selected_inferior().pid:
        raise Problem("no process runs, and no core file is loaded")
    found = copies()
    if not found:
        named = [o.filename for o in gdb.objfiles() if "heapsmith" in (o.filename or "")]
        if named:
            raise Problem(f"{named[0]} has no debug information: build it with "
                          "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
        raise Problem("no library of heapsmith is loaded")
    return max(found, key=Library.committed)
