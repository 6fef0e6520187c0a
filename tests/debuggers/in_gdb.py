# Runs in gdb: compares what its commands print with what the program wrote down.
import os
import sys

import gdb

sys.path.insert(0, os.environ["ANSWERS"])
import answers  # noqa: E402  (the path is set above)


def printed(command):
    return gdb.execute(command, to_string=True).rstrip("\n")


def main_frame():
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != "main":
        frame = frame.older()
    frame.select()


main_frame()
answers.check(os.environ["TRUTH"], printed("info heapsmith"),
              lambda address: printed(f"heapsmith block {address}"),
              lambda name: printed(f"print {name}").partition(" = ")[2])
