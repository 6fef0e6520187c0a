// The language that the C++ headers need. Below it each header is empty, so that this line is the
// only error.
#pragma once

#if __cplusplus >= 202002L
#define HEAPSMITH_HAS_CPP20 1
#else
#define HEAPSMITH_HAS_CPP20 0
#error heapsmith needs C++20 or newer: compile with -std=c++20 (CMake: CXX_STANDARD 20)
#endif
