#!/usr/bin/env bash
# A C++ plug-in of a C program runs out of memory, and turns bad_alloc into an error code.
# report: DeterminateSystems/nix-src#603, gperftools/gperftools#64
# right: bad_alloc is thrown, the new_handler called, and nothrow returns null
# fails: not measured
# under: preload override recorder
set -euo pipefail
cat >plugin.cpp <<'END'
#include <cstdint>
#include <new>
#include <vector>
static volatile std::size_t big = PTRDIFF_MAX / 2;
static void* volatile sink;
static int handled;
extern "C" int plugin() {
  try { sink = new char[big]; return 1; } catch (const std::bad_alloc&) {}
  try { std::vector<char> v; v.reserve(big); return 2; } catch (const std::bad_alloc&) {}
  if (new (std::nothrow) char[big] != nullptr) return 3;
  std::set_new_handler([] { ++handled, std::set_new_handler(nullptr); });
  try { sink = new char[big]; return 4; } catch (const std::bad_alloc&) {}
  return handled == 1 ? 0 : 5;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
int main(int n, char** a) {
  (void)a;
  void* const h = dlopen("./plugin.so", RTLD_NOW | (n > 1 ? RTLD_GLOBAL : RTLD_LOCAL));
  int (*f)(void);
  if (h == 0) return 9;
  *(void**)&f = dlsym(h, "plugin");
  return f();
}
END
"$CXX" -O1 -fno-builtin -shared -fPIC -o plugin.so plugin.cpp
"$CC" -O1 -o host host.c -ldl
"$CC" -O1 -o linked host.c -Wl,--undefined=malloc "$OVERRIDE" -ldl
for scope in "" global; do
  # shellcheck disable=SC2086 # no word at all without a scope
  {
    ./host $scope
    LD_PRELOAD=$PRELOAD ./host $scope
    ./linked $scope
    "$HEAPSMITH" record -f -o trace -- ./host $scope >record.out 2>&1
  }
  test -s trace
done
