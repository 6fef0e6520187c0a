"""gdb reads the heap of a process or of a core file. Nothing here calls into the process, and every
offset and constant comes from the debug information of the library."""
