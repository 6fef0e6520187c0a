# Debian's musl-tools with Debian's GCC. There is no libstdc++ for musl in Debian: the libraries use
# its headers only, without exceptions and run-time type information, and link none of it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

execute_process(COMMAND g++ -dumpversion OUTPUT_VARIABLE gcc OUTPUT_STRIP_TRAILING_WHITESPACE)
set(musl /usr/lib/x86_64-linux-musl)

# Of the host's headers only those of the kernel: the others are glibc's.
set(kernel ${CMAKE_BINARY_DIR}/kernel-headers)
file(MAKE_DIRECTORY ${kernel})
file(CREATE_LINK /usr/include/linux ${kernel}/linux SYMBOLIC)
file(CREATE_LINK /usr/include/asm-generic ${kernel}/asm-generic SYMBOLIC)
file(CREATE_LINK /usr/include/x86_64-linux-gnu/asm ${kernel}/asm SYMBOLIC)

string(JOIN " " CMAKE_CXX_FLAGS_INIT
  -specs=${musl}/musl-gcc.specs -nostdinc++
  -isystem /usr/include/c++/${gcc} -isystem /usr/include/x86_64-linux-gnu/c++/${gcc}
  -isystem /usr/include/x86_64-linux-musl -idirafter ${kernel}
  -include ${CMAKE_CURRENT_LIST_DIR}/../../../cmake/libstdcxx_over_musl.hpp
  "-D'__GLIBC_PREREQ(major,minor)=0'" -D__locale_t=locale_t
  -fno-exceptions -fno-rtti)
set(CMAKE_C_FLAGS_INIT "-idirafter ${kernel}")
