# Every source file of the libraries, in the order in which memory flows through them.
set(HEAPSMITH_SOURCES
  os/os_linux.cpp
  spans/range.cpp
  spans/spans.cpp)

# What replaces the process's own allocator: in the preload and the override library only.
set(HEAPSMITH_OVERRIDE_SOURCES
  adapt/override/malloc.cpp
  adapt/override/operator_new.cpp)
