# Compiler and linker flags, as interface targets so that each applies only where it is needed.

# heapsmith_warnings: all code of this repository.
add_library(heapsmith_warnings INTERFACE)
target_compile_options(heapsmith_warnings INTERFACE
  -Wall -Wextra $<$<BOOL:${HEAPSMITH_WERROR}>:-Werror>)

# heapsmith_sanitizers: everything in a sanitizer build, libraries and tests alike. The
# definitions tell tests which one it is: GCC has a macro for that, and Clang 19 another way.
add_library(heapsmith_sanitizers INTERFACE)
if(HEAPSMITH_SANITIZE)
  if(HEAPSMITH_SANITIZE MATCHES "address")
    target_compile_definitions(heapsmith_sanitizers INTERFACE HEAPSMITH_UNDER_ASAN)
  elseif(HEAPSMITH_SANITIZE MATCHES "thread")
    target_compile_definitions(heapsmith_sanitizers INTERFACE HEAPSMITH_UNDER_TSAN)
  endif()
  target_compile_options(heapsmith_sanitizers INTERFACE
    -fsanitize=${HEAPSMITH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -g1)  # a report names functions and lines; full debug information takes a third more time
  # GCC 12 mistakes the code that a sanitizer adds to std::regex for reads of uninitialised memory.
  target_compile_options(heapsmith_sanitizers INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(heapsmith_sanitizers INTERFACE -fsanitize=${HEAPSMITH_SANITIZE})
endif()

# heapsmith_language: the flags of all C++ in this repository. Debug builds enable assertions, in the
# libraries and in tests that use their internals.
add_library(heapsmith_language INTERFACE)
target_compile_features(heapsmith_language INTERFACE cxx_std_20)
target_compile_definitions(heapsmith_language INTERFACE $<$<CONFIG:Debug>:HEAPSMITH_DEBUG>)
if(HEAPSMITH_PRETENDED_PAGE)
  target_compile_definitions(heapsmith_language INTERFACE
    HEAPSMITH_PRETENDED_PAGE=${HEAPSMITH_PRETENDED_PAGE})
endif()
target_link_libraries(heapsmith_language INTERFACE heapsmith_warnings heapsmith_sanitizers)

# The folders of the library's own headers. In the build with assertions, tests count what threads
# touch.
set(HEAPSMITH_INSIDES ${PROJECT_SOURCE_DIR}/src)
if(HEAPSMITH_TESTS AND CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT HEAPSMITH_SANITIZE)
  list(PREPEND HEAPSMITH_INSIDES ${PROJECT_SOURCE_DIR}/tests/unit/counted)
endif()

# heapsmith_common: the flags of every program of the tests, the benchmarks and the lab. They have
# line numbers alone, which are enough to profile an optimised program: full debug information of
# templates takes a fifth more time and memory to compile.
add_library(heapsmith_common INTERFACE)
target_compile_options(heapsmith_common INTERFACE $<$<NOT:$<CONFIG:Debug>>:-g1>)
target_link_libraries(heapsmith_common INTERFACE heapsmith_language)

# heapsmith_runtime_free: the libraries themselves.
include(cmake/runtime_free.cmake)
add_library(heapsmith_runtime_free INTERFACE)
target_compile_features(heapsmith_runtime_free INTERFACE cxx_std_20)
target_compile_options(heapsmith_runtime_free INTERFACE ${HEAPSMITH_RUNTIME_FREE_FLAGS}
  "$<$<CXX_COMPILER_ID:GNU>:${HEAPSMITH_RUNTIME_FREE_GCC_FLAGS}>")
# Release is the code that RelWithDebInfo has, which we test and measure.
target_compile_options(heapsmith_runtime_free INTERFACE $<$<CONFIG:Release>:-O2>)
target_link_libraries(heapsmith_runtime_free INTERFACE heapsmith_language)

# heapsmith_shared_link: how the shared libraries are linked. Libgcc comes from its archive, and
# libc is the only library needed at run time. A sanitizer build needs the default libraries, since
# its own runtime is one of them. Relocations are not packed: loaders before glibc 2.36 refuse
# libraries whose relocations are, and the functions that we call need glibc 2.34 only. Text and
# constants are one mapping: a process starts with fewer (docs/design/platforms.md).
add_library(heapsmith_shared_link INTERFACE)
target_link_options(heapsmith_shared_link INTERFACE
  -Wl,-z,nodelete,-z,now,-z,relro,-z,noseparate-code -Wl,--gc-sections -Wl,--hash-style=gnu -Wl,-O1)
if(NOT HEAPSMITH_SANITIZE)
  target_link_options(heapsmith_shared_link INTERFACE -nodefaultlibs -Wl,-z,defs)
  target_link_libraries(heapsmith_shared_link INTERFACE -lgcc -lc)
endif()
