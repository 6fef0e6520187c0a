# Compiler and linker flags, kept as interface targets so that each reaches only what it is meant for.

# heapsmith_warnings: all code of this repository.
add_library(heapsmith_warnings INTERFACE)
target_compile_options(heapsmith_warnings INTERFACE
  -Wall -Wextra $<$<BOOL:${HEAPSMITH_WERROR}>:-Werror>)

# heapsmith_sanitizers: everything in a sanitizer build, libraries and tests alike.
add_library(heapsmith_sanitizers INTERFACE)
if(HEAPSMITH_SANITIZE)
  target_compile_options(heapsmith_sanitizers INTERFACE
    -fsanitize=${HEAPSMITH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  # GCC 12 takes what a sanitizer adds to std::regex for reads of uninitialised memory.
  target_compile_options(heapsmith_sanitizers INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(heapsmith_sanitizers INTERFACE -fsanitize=${HEAPSMITH_SANITIZE})
endif()

# heapsmith_common: what every program of the tests and the lab is compiled with.
add_library(heapsmith_common INTERFACE)
target_compile_features(heapsmith_common INTERFACE cxx_std_20)
target_link_libraries(heapsmith_common INTERFACE heapsmith_warnings heapsmith_sanitizers)

# Assertions are on in debug builds, for the libraries and for tests that see their insides.
target_compile_definitions(heapsmith_common INTERFACE $<$<CONFIG:Debug>:HEAPSMITH_DEBUG>)

# heapsmith_runtime_free: the libraries themselves. They are loaded into programs that may have no
# C++ runtime, so they use none: no exceptions, no type information, no guarded statics
# (unwind tables stay: bad_alloc passes through operator new). The compiler must not recognise malloc
# either, or it would turn our own definitions into calls of themselves. Thread-local variables lie at a fixed offset: the dynamic model would call the loader,
# which may call malloc. Cold blocks stay at the ends of their functions: a part of its own costs each
# of them unwind tables, longer jumps and a share of an OS page.
add_library(heapsmith_runtime_free INTERFACE)
target_compile_features(heapsmith_runtime_free INTERFACE cxx_std_20)
target_compile_options(heapsmith_runtime_free INTERFACE
  -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free
  -ftls-model=initial-exec -fvisibility=hidden -fvisibility-inlines-hidden
  -fno-plt -fno-semantic-interposition -ffunction-sections -fdata-sections
  -fno-reorder-blocks-and-partition)
target_link_libraries(heapsmith_runtime_free INTERFACE heapsmith_common)

# heapsmith_shared_link: how the shared libraries are linked. Libgcc is taken from its archive and
# libc is the only library needed at run time. A sanitizer build needs the default libraries: its
# own runtime is one of them. The empty heap's tables are pointers, which packed relocations name by
# a bit each where others take 24 bytes: loaders know them from glibc 2.36 on.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #include <features.h>
  #if !__GLIBC_PREREQ(2, 36)
  #error too old
  #endif
  int main() {}" HEAPSMITH_HAS_PACKED_RELOCATIONS)
add_library(heapsmith_shared_link INTERFACE)
target_link_options(heapsmith_shared_link INTERFACE
  -Wl,-z,nodelete,-z,now,-z,relro -Wl,--gc-sections -Wl,--hash-style=gnu -Wl,-O1
  $<$<BOOL:${HEAPSMITH_HAS_PACKED_RELOCATIONS}>:-Wl,-z,pack-relative-relocs>)
if(NOT HEAPSMITH_SANITIZE)
  target_link_options(heapsmith_shared_link INTERFACE -nodefaultlibs -Wl,-z,defs)
  target_link_libraries(heapsmith_shared_link INTERFACE -lgcc -lc)
endif()
