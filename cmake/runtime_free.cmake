# How the libraries themselves are compiled, here and by the build script of rust/heapsmith-sys.
#
# They are loaded into programs that may have no C++ runtime, so they use none: no exceptions, no
# type information, no guarded statics (unwind tables stay: bad_alloc passes through operator new).
# The compiler must not recognise malloc either, or it would turn our own definitions into calls of
# themselves. Thread-local variables lie at a fixed offset: the dynamic model would call the loader,
# which may call malloc.
set(HEAPSMITH_RUNTIME_FREE_FLAGS
  -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free
  -ftls-model=initial-exec -fvisibility=hidden -fvisibility-inlines-hidden
  -fno-plt -fno-semantic-interposition -ffunction-sections -fdata-sections)
# Cold blocks stay at the ends of their functions: a part of its own costs each of them unwind tables,
# longer jumps and a share of an OS page. Only GCC has the choice.
set(HEAPSMITH_RUNTIME_FREE_GCC_FLAGS
  -fno-reorder-blocks-and-partition)
