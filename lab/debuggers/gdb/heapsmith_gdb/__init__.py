"""What heapsmith_debug needs of gdb, and how gdb calls it."""
