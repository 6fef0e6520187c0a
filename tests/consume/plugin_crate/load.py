# Loads 40 copies of a plug-in into one process, and calls each: load.py PLUGIN
# A block that another copy made is told.
import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COPIES = 40
MIXES = """
import ctypes, sys
one, other = (ctypes.CDLL(path) for path in sys.argv[1:])
one.make.restype = ctypes.c_void_p
other.end.argtypes = [ctypes.c_void_p]
one.end.argtypes = [ctypes.c_void_p]
one.end(one.make())
other.end(one.make())
"""

with tempfile.TemporaryDirectory() as folder:
    for number in range(COPIES):
        copy = Path(folder) / f"plugin{number}.so"
        shutil.copy(sys.argv[1], copy)
        plugin = ctypes.CDLL(str(copy))
        assert plugin.sum() == 999_000 and plugin.is_served() == 1, f"copy {number}"
    paths = [str(Path(folder) / f"plugin{number}.so") for number in (0, 1)]
    mixed = subprocess.run([sys.executable, "-c", MIXES, *paths], capture_output=True, text=True)
    assert mixed.returncode < 0, "a block of another copy was freed"
    assert "is not a block of this copy of heapsmith" in mixed.stderr, mixed.stderr
print(f"{COPIES} copies of a plug-in were loaded into one process")
