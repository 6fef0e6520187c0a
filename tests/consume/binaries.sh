#!/usr/bin/env bash
# What the installed libraries export, need and ask of the loader. Argument: the prefix.
set -euo pipefail
lib=$(dirname "$(find "$1" -name libheapsmith.so)")
failures=0

expect() {
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failures=$((failures + 1)); fi
}

exports() { nm -D --defined-only "$lib/$1" | awk '{ print $3 }'; }
dynamic() { readelf -dW "$lib/$1"; }
needs_libc_alone() {
  [[ $(dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') == libc.so.6 ]]
}
says() { grep -qE "$2" <(dynamic "$1"); }
only_hs() { ! grep -qv '^hs_' <(exports "$1") && grep -qx hs_malloc <(exports "$1"); }

expect "libheapsmith.so exports hs_ functions and nothing else" only_hs libheapsmith.so
expect "its soname is libheapsmith.so.0" says libheapsmith.so 'SONAME.*\[libheapsmith\.so\.0\]'
expect "libheapsmith.so.0.1.0 is the file" \
  test "$(readlink -f "$lib/libheapsmith.so")" = "$(readlink -f "$lib")/libheapsmith.so.0.1.0"
for name in malloc calloc realloc reallocarray free cfree memalign posix_memalign aligned_alloc \
  valloc pvalloc malloc_usable_size mallinfo mallinfo2 mallopt malloc_trim malloc_stats \
  malloc_info free_sized free_aligned_sized _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm \
  _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t \
  _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t \
  _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t \
  _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_tRKSt9nothrow_t \
  _ZdaPvSt11align_val_tRKSt9nothrow_t hs_malloc hs_free hs_version; do
  expect "the preload exports $name" grep -qxF "$name" <(exports libheapsmith_preload.so)
done
for library in libheapsmith.so libheapsmith_preload.so; do
  expect "$library needs libc alone" needs_libc_alone "$library"
  expect "$library is never unloaded" says "$library" 'NODELETE'
  expect "$library is bound at load" says "$library" 'BIND_NOW|FLAGS_1.*NOW'
  expect "$library is read-only after relocation" \
    grep -q GNU_RELRO <(readelf -lW "$lib/$library")
  expect "$library has no executable stack" \
    grep -qE 'GNU_STACK.* RW ' <(readelf -lW "$lib/$library")
done
((failures == 0))
