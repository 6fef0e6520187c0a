# How the libraries themselves are compiled, here and by the build script of rust/heapsmith-sys.
#
# The libraries may be loaded into programs without a C++ runtime, so they do not use one: no
# exceptions, no type information, no guarded statics. Unwind tables stay, because bad_alloc passes
# through operator new. The compiler must not recognise malloc. Otherwise it would turn our own
# definitions into calls of themselves. Thread-local variables have a fixed offset. The dynamic
# model would call the loader, which may call malloc. Distributions that compile everything with
# -flto get machine code here, because the archive of the override library is linked in advance.
set(HEAPSMITH_RUNTIME_FREE_FLAGS
  -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free
  -ftls-model=initial-exec -fvisibility=hidden -fvisibility-inlines-hidden
  -fno-lto -fno-plt -fno-semantic-interposition -ffunction-sections -fdata-sections)
# Cold blocks stay at the ends of their functions. A separate part would cost each function unwind
# tables, longer jumps and a share of an OS page. Inline variables are not unique in the process, so
# that the override library can have its own. Only GCC has these options.
set(HEAPSMITH_RUNTIME_FREE_GCC_FLAGS
  -fno-reorder-blocks-and-partition -fno-gnu-unique)
