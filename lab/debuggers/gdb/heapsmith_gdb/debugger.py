"""What heapsmith_debug asks gdb for. heapsmith_lldb/debugger.py has the same names."""

import gdb

from heapsmith_debug.problem import Problem

STRUCT = gdb.TYPE_CODE_STRUCT
THREAD_POINTERS = ("fs_base", "tpidr")  # the registers of x86-64 and of aarch64


class Library:
    """A shared library or program, with its variables by name."""

    def __init__(self, objfile):
        self.objfile, self.filename = objfile, objfile.filename or ""

    def find(self, name):
        """A variable, or None."""
        symbol = (self.objfile.lookup_global_symbol(name) or
                  self.objfile.lookup_static_symbol(name))
        return symbol and symbol.value()


def libraries():
    return [Library(o) for o in gdb.objfiles()]


def has_process():
    return bool(gdb.selected_inferior().pid)


def constant(kind, name):
    """The value of a static constexpr member of a class."""
    for field in kind.strip_typedefs().fields():
        if field.name == name:
            return int(gdb.Value(bytes(kind.sizeof), kind)[field])
    raise Problem(f"the debug information lacks {name}")


def read(address, length):
    """Bytes of the process. Raises Problem where nothing is mapped, or a core file has nothing."""
    try:
        return bytes(gdb.selected_inferior().read_memory(address, length))
    except gdb.error as error:
        raise Problem(f"cannot read {length} bytes at {address:#x}: {error}") from error


def at(address, kind):
    """The value of a type at an address."""
    return gdb.Value(address).cast(kind.pointer()).dereference()


def evaluate(expression):
    """The address that an expression of the user is."""
    return int(gdb.parse_and_eval(expression).cast(gdb.lookup_type("unsigned long")))


def thread_names():
    """The name of each thread, by its thread pointer."""
    selected, frame, found = gdb.selected_thread(), gdb.selected_frame(), {}
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        for register in THREAD_POINTERS:
            try:
                pointer = int(gdb.newest_frame().read_register(register)) % 2**64
            except (ValueError, gdb.error):
                continue  # a register of another processor
            found[pointer] = f"thread {thread.num} (LWP {thread.ptid[1] or thread.ptid[2]})"
    selected.switch()
    frame.select()
    return found
