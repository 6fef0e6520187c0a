"""Finds the copy of the library that serves the process."""

from .debugger import has_process, libraries
from .layout import number
from .problem import Problem

MAIN_RANGE = "heapsmith::spans::main_range"


class Copy:
    """A shared library or program that contains the heap, with its variables by name."""

    def __init__(self, library):
        self.library, self.filename = library, library.filename

    def value(self, name):
        found = self.library.find(name)
        if found is None:
            raise Problem(f"the debug information of {self.filename} lacks {name}")
        return found

    def committed(self):
        return number(self.value(MAIN_RANGE)["slices"])


def the_library():
    """The copy with the most memory. A libheapsmith.so that has joined another heap has none."""
    if not has_process():
        raise Problem("no process runs, and no core file is loaded")
    loaded = libraries()
    found = [Copy(o) for o in loaded if o.find(MAIN_RANGE) is not None]
    if not found:
        named = [o.filename for o in loaded if "heapsmith" in o.filename]
        if named:
            raise Problem(f"{named[0]} has no debug information: build it with "
                          "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
        raise Problem("no library of heapsmith is loaded")
    return max(found, key=Copy.committed)
