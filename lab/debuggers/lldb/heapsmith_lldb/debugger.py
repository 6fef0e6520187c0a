"""What heapsmith_debug asks lldb for. heapsmith_gdb/debugger.py has the same names."""

import re

import lldb

from heapsmith_debug.problem import Problem
from heapsmith_lldb.values import STRUCT, Value, value_at as at  # noqa: F401

THREAD_POINTERS = ("fs_base", "tpidr")  # the registers of x86-64 and of aarch64


def target():
    return lldb.debugger.GetSelectedTarget()


class Library:
    """A shared library or program, with its variables by name."""

    def __init__(self, module):
        self.module, self.filename = module, str(module.GetFileSpec())

    def find(self, name):
        """A variable, or None."""
        found = self.module.FindGlobalVariables(target(), name, 1)
        return Value(found.GetValueAtIndex(0)) if found.GetSize() else None


def libraries():
    return [Library(module) for module in target().module_iter()]


def has_process():
    return target().GetProcess().GetState() == lldb.eStateStopped


def constant(kind, name):
    """The value of a static constexpr member of a class."""
    owner = kind.of_lldb.GetCanonicalType()
    member = owner.GetStaticFieldWithName(name)
    if not member.IsValid():
        raise Problem(f"the debug information lacks {name}")
    found = member.GetConstantValue(target())
    if found.IsValid():
        return found.GetValueAsUnsigned()
    # Only its definition has the value. lldb knows a name by one of two spellings.
    for spelling in (owner.GetName(), re.sub(r">\s+(?=>)", ">", owner.GetName())):
        value = defined_constant(f"{spelling}::{name}", member.GetType().GetByteSize())
        if value is not None:
            return value
    raise Problem(f"the debug information lacks the value of {name}")


def defined_constant(name, size):
    found = target().FindFirstGlobalVariable(name)
    if found.IsValid() and found.GetError().Success():
        return found.GetValueAsUnsigned()
    # A core file lacks the constant parts of the program, which its own file has.
    for context in target().FindSymbols(name):
        start, error = context.GetSymbol().GetStartAddress(), lldb.SBError()
        data = target().ReadMemory(start, size, error)
        if error.Success() and len(data) == size:
            return int.from_bytes(data, "little")
    return None


def read(address, length):
    """Bytes of the process. Raises Problem where nothing is mapped, or a core file has nothing."""
    error = lldb.SBError()
    data = target().GetProcess().ReadMemory(address, length, error)
    if not error.Success() or data is None or len(data) != length:
        raise Problem(f"cannot read {length} bytes at {address:#x}: {error.GetCString()}")
    return data


def evaluate(expression):
    """The address that an expression of the user is. Nothing is called in the process."""
    options = lldb.SBExpressionOptions()
    options.SetAllowJIT(False)
    frame = target().GetProcess().GetSelectedThread().GetSelectedFrame()
    found = frame.GetValueForVariablePath(expression)
    if not found.IsValid() or found.GetError().Fail():
        found = frame.EvaluateExpression(expression, options)
    if found.GetError().Fail():
        raise Problem(f"cannot evaluate {expression}: {found.GetError().GetCString().strip()}")
    return found.GetValueAsUnsigned()


def thread_names():
    """The name of each thread, by its thread pointer."""
    found = {}
    for thread in target().GetProcess():
        for register in THREAD_POINTERS:
            value = thread.GetFrameAtIndex(0).FindRegister(register)
            if value.IsValid():
                name = f"thread {thread.GetIndexID()} (LWP {thread.GetThreadID()})"
                found[value.GetValueAsUnsigned()] = name
    return found
