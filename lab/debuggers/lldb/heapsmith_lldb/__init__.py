"""What heapsmith_debug needs of lldb, and how lldb calls it."""
