#!/usr/bin/env bash
# A C++ plug-in of a C program reaches the limit that its user set.
# report: none
# right: bad_alloc is thrown, and one line on stderr names the limit
# fails: not measured
# under: preload
set -euo pipefail
cat >plugin.cpp <<'END'
#include <memory>
#include <new>
#include <vector>
extern "C" int plugin() {
  std::vector<std::unique_ptr<char[]>> held;
  for (int i = 0; i < 2; ++i) {
    try {
      for (;;) held.emplace_back(new char[1 << 20]);
    } catch (const std::bad_alloc&) {
      held.clear();
    }
  }
  return 0;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
int main(void) {
  int (*f)(void);
  *(void**)&f = dlsym(dlopen("./plugin.so", RTLD_NOW), "plugin");
  return f();
}
END
"$CXX" -O1 -shared -fPIC -o plugin.so plugin.cpp
"$CC" -O1 -o host host.c -ldl
HEAPSMITH_LIMIT_BYTES=64M LD_PRELOAD=$PRELOAD ./host 2>said
[[ $(wc -l <said) == 1 ]]
grep -q 'the limit of 64M leaves no room for' said
