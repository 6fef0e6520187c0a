#!/usr/bin/env bash
# A shared library replaces the aligned operators alone, with a header before each block.
# report: Fantom-foundation/Tosca#139
# right: the recorder passes both calls on to the library
# fails: not measured
set -euo pipefail
if [[ ! -x $HEAPSMITH ]]; then exit 77; fi
cat >library.cpp <<'PROGRAM'
#include <cstdlib>
#include <new>

// The block of malloc lies before the block of the caller, at an address that is stored there.
void* operator new(std::size_t size, std::align_val_t align) {
  const auto a = static_cast<std::size_t>(align);
  char* const whole = static_cast<char*>(std::malloc(size + 2 * a));
  if (whole == nullptr) throw std::bad_alloc();
  char* const p = whole + 2 * a - reinterpret_cast<std::size_t>(whole) % a;
  reinterpret_cast<char**>(p)[-1] = whole;
  return p;
}
void operator delete(void* p, std::align_val_t) noexcept {
  if (p != nullptr) std::free(static_cast<char**>(p)[-1]);
}
void operator delete(void* p, std::size_t, std::align_val_t align) noexcept {
  operator delete(p, align);
}
PROGRAM
cat >main.cpp <<'PROGRAM'
#include <cstdio>

struct alignas(64) line {
  char bytes[64];
};

int main() {
  for (int n = 0; n < 1000; ++n) {
    line* const volatile one = new line;
    line* const volatile some = new line[3];
    delete one;
    delete[] some;
  }
  std::puts("ok");
}
PROGRAM
"$CXX" -std=c++17 -O1 -fno-builtin -shared -fPIC library.cpp -o libaligned.so
"$CXX" -std=c++17 -O1 -fno-builtin main.cpp -L. -laligned -Wl,-rpath,"$PWD" -o main
[[ $(./main) == ok && $(LD_PRELOAD=$PRELOAD ./main) == ok ]]
[[ $("$HEAPSMITH" record -o main.trace -- ./main) == ok ]]
