"""Reads the heap of a process or of a core file, for gdb and for lldb. Nothing here calls into the
process, and every offset and constant comes from the debug information of the library.

Values and types have the interface that gdb gives them. heapsmith_lldb/values.py gives it to those
of lldb. The module `debugger` has what else differs."""
