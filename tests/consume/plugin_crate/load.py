# Loads 40 copies of a plug-in into one process, and calls each: load.py PLUGIN
import ctypes
import shutil
import sys
import tempfile
from pathlib import Path

COPIES = 40

with tempfile.TemporaryDirectory() as folder:
    for number in range(COPIES):
        copy = Path(folder) / f"plugin{number}.so"
        shutil.copy(sys.argv[1], copy)
        plugin = ctypes.CDLL(str(copy))
        assert plugin.sum() == 999_000 and plugin.is_served() == 1, f"copy {number}"
print(f"{COPIES} copies of a plug-in were loaded into one process")
