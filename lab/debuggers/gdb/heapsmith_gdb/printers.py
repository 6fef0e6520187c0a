"""Shows gdb the printers of heapsmith_debug."""

import gdb
import gdb.printing

from heapsmith_debug.printers import PRINTERS


def register():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("heapsmith")
    for names, printer in PRINTERS:
        printers.add_printer(names, f"^heapsmith::({names})<.*>$", printer)
    gdb.printing.register_pretty_printer(None, printers, replace=True)
