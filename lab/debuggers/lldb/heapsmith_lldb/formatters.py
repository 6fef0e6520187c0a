"""Shows lldb the printers of heapsmith_debug: their texts as summaries, their children as children."""

import re

import lldb

from heapsmith_debug.printers import PRINTERS

from .values import Value


def printer_of(value):
    name = value.GetType().GetCanonicalType().GetName()
    lldb.debugger = value.GetTarget().GetDebugger()
    for names, printer in PRINTERS:
        if re.match(rf"heapsmith::({names})<", name):
            return printer(Value(value))
    raise KeyError(name)


def summary(value, _names):
    return printer_of(value).to_string()


def text_of(value):
    return value.of_lldb.GetSummary() or value.of_lldb.GetValue() or "key"


class Children:
    """The children of a value, as lldb asks for them. That of a map is named by its key."""

    def __init__(self, value, _names):
        self.value, self.found = value, []
        self.update()

    def update(self):
        printer = printer_of(self.value)
        children = list(printer.children()) if hasattr(printer, "children") else []
        if getattr(printer, "display_hint", lambda: None)() == "map":
            children = [(f"[{text_of(key)}]", value)
                        for (_, key), (_, value) in zip(children[::2], children[1::2])]
        self.found = [child.of_lldb.CreateValueFromAddress(name, child.address,
                                                           child.of_lldb.GetType())
                      for name, child in children]

    def num_children(self):
        return len(self.found)

    def has_children(self):
        return bool(self.found)

    def get_child_index(self, name):
        return next((i for i, child in enumerate(self.found) if child.GetName() == name), -1)

    def get_child_at_index(self, index):
        return self.found[index] if 0 <= index < len(self.found) else None


def register(debugger):
    for names, printer in PRINTERS:
        kind = f'"^heapsmith::({names})<.*>$"'
        expand = "-e" if hasattr(printer, "children") else ""
        debugger.HandleCommand(
            f"type summary add {expand} -w heapsmith -F {__name__}.summary -x {kind}")
        if hasattr(printer, "children"):
            debugger.HandleCommand(
                f"type synthetic add -w heapsmith -l {__name__}.Children -x {kind}")
    debugger.HandleCommand("type category enable heapsmith")
