#!/usr/bin/env bash
# Checks what the installed libraries export, need and request from the loader, their size, and the
# glibc that each installed file needs.
# binaries.sh PREFIX BUILD_TYPE README
set -euo pipefail
lib=$(dirname "$(find "$1" -name libheapsmith.so)")
failures=0

expect() {
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failures=$((failures + 1)); fi
}

# The output of the tools for each library, collected once.
declare -A exported dynamic segments
for library in libheapsmith.so libheapsmith_preload.so libheapsmith_trace.so \
  libheapsmith_dialects.so; do
  exported[$library]=$(nm -D --defined-only "$lib/$library" | awk '{ print $3 }' | sort)
  dynamic[$library]=$(readelf -dW "$lib/$library")
  segments[$library]=$(readelf -lW "$lib/$library")
done

exports() { grep -qxF -- "$2" <<<"${exported[$1]}"; }
says() { grep -qE -- "$2" <<<"${dynamic[$1]}"; }
has_segment() { grep -qE -- "$2" <<<"${segments[$1]}"; }
only_hs() { exports "$1" hs_malloc && ! grep -qv '^hs_' <<<"${exported[$1]}"; }
needs_libc_alone() {
  [[ $(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"${dynamic[$1]}") == libc.so.6 ]]
}

text_below() { (($(size "$lib/$1" | awk 'END { print $1 }') < $2)); }

expect "libheapsmith.so exports only hs_ functions" only_hs libheapsmith.so
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
  _ZdaPvSt11align_val_tRKSt9nothrow_t hs_malloc hs_free hs_version hs_trace_start; do
  expect "the preload exports $name" exports libheapsmith_preload.so "$name"
done
expect "libheapsmith_trace.so exports the same" \
  test "${exported[libheapsmith_trace.so]}" = "${exported[libheapsmith_preload.so]}"
foreign_names='^(mallocx|[rxsdn]allocx|sdallocx|mallctl|mallctlnametomib|mallctlbymib|malloc_stats_print'
foreign_names+='|MallocExtension_[A-Z]\w+|tc_\w+|mi_\w+|reallocf|vfree|malloc_size)$'
expect "libheapsmith_dialects.so exports the same and names of other allocators" \
  test "$(grep -vE "$foreign_names" <<<"${exported[libheapsmith_dialects.so]}")" \
  = "${exported[libheapsmith_preload.so]}"
for name in mallocx mallctl malloc_stats_print MallocExtension_GetStats tc_malloc mi_heap_new; do
  expect "it exports $name" exports libheapsmith_dialects.so "$name"
done
for library in libheapsmith.so libheapsmith_preload.so libheapsmith_trace.so \
  libheapsmith_dialects.so; do
  expect "$library needs only libc" needs_libc_alone "$library"
  expect "$library is never unloaded" says "$library" 'NODELETE'
  expect "$library is bound at load" says "$library" 'BIND_NOW|FLAGS_1.*NOW'
  expect "$library is read-only after relocation" \
    has_segment "$library" GNU_RELRO
  expect "$library has no executable stack" \
    has_segment "$library" 'GNU_STACK.* RW '
done

expect "the commands of gdb are installed" \
  test -f "$1/share/heapsmith/gdb/heapsmith_gdb/commands.py"
  test -f "$1/share/heapsmith/lldb/heapsmith_lldb/commands.py"
  test -f "$1/share/heapsmith/heapsmith_debug/overview.py"

# The README states this floor. Packed relocations need glibc 2.36 without any symbol of it.
floor=2.34
newest_glibc() {
  readelf --version-info -W "$1" | grep -oE 'GLIBC_(ABI_DT_RELR|[0-9.]+)' | sort -V | tail -n 1
}
needs_at_most_floor() {
  [[ -z $1 || $(printf '%s\n' "GLIBC_$floor" "$1" | sort -V | tail -n 1) == "GLIBC_$floor" ]]
}
is_elf() { [[ $(head -c 4 "$1" | tr -d '\0') == $'\x7fELF' ]]; }
files=0
while IFS= read -r file; do
  is_elf "$file" || continue
  files=$((files + 1))
  newest=$(newest_glibc "$file" || true)
  expect "${file#"$1"/} needs ${newest:-no symbol of glibc}" needs_at_most_floor "$newest"
done < <(find "$1" -type f)
expect "at least 2 files were examined" test "$files" -ge 2
expect "the README states glibc $floor" grep -qF "glibc $floor or newer" "$3"

# Other builds are larger: they contain assertions or a sanitizer's checks.
if [[ $2 == Rel* ]]; then
  expect "libheapsmith.so is smaller than the README says" text_below libheapsmith.so $((204 * 1024))
fi
((failures == 0))
