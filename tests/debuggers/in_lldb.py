# Runs in lldb: compares what its commands print with what the program wrote down.
import os
import sys

import lldb

sys.path.insert(0, os.environ["ANSWERS"])
import answers  # noqa: E402  (the path is set above)


def shown(value):
    """The value as gdb writes it, from lldb's own summary and children."""
    text = value.GetSummary() or value.GetValue()
    if text and not (value.IsSynthetic() and value.GetNumChildren()):
        return text
    children = [f"{child.GetName()} = {shown(child)}" for child in value]
    body = "{" + ", ".join(children) + "}"
    return f"{text} = {body}" if text else body


def __lldb_init_module(debugger, _names):
    thread = debugger.GetSelectedTarget().GetProcess().GetThreadAtIndex(0)
    frame = next(f for f in thread if f.GetFunctionName() == "main")
    thread.SetSelectedFrame(frame.GetFrameID())

    def printed(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)
        return (result.GetOutput() or result.GetError()).rstrip("\n")

    def variable(name):
        value = frame.FindVariable(name)
        value.SetPreferSyntheticValue(True)
        return shown(value)

    answers.check(os.environ["TRUTH"], printed("heapsmith info"),
                  lambda address: printed(f"heapsmith block {address}"),
                  variable)
