#!/usr/bin/env bash
# Windows x86-64: the library and the tests, built by MinGW-w64 and run by Wine; headers by Clang for
# Windows, too; and the refusals of the heap.
# windows.sh [--whole]      --whole runs all tests, and those of the crate; without it, those of the
#                           contract, and of the families that call Windows
# Prints how many tests passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/windows
programs=(unit_region unit_pool_resource unit_decorators unit_resource contract contract_composed)
if [[ ${1:-} == --whole ]]; then
  programs+=(unit_arena unit_scope unit_pool unit_containers contract_arenas)
fi

# Wine keeps its registry and its C: drive in a folder of this run. Nothing opens a window or a
# debugger.
mkdir -p "$build"
work=$(mktemp -d -p "$build" work.XXXXXX)
export WINEPREFIX=$PWD/$work/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winedbg.exe="
unset DISPLAY
wine=/usr/lib/wine/wine64 server=/usr/lib/wine/wineserver64
finish() {
  { "$server" -k && "$server" -w; } 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
"$wine" wineboot.exe --init >"$work/wineboot.log" 2>&1 &  # during the build
wineboot=$!

passed=0 failed=0
# counted NAME COMMAND…: a test of its own.
counted() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    { echo "windows: $name failed"; head -n 30 "$work/log"; } >&2
  fi
}

# refuses TEXT COMMAND…: fails with one error, which says TEXT.
refuses() {
  local text=$1
  shift
  if "$@" >"$work/refused" 2>&1; then return 1; fi
  cat "$work/refused"
  (($(grep 'error:' "$work/refused" | grep -vc 'could not compile') == 1)) && grep -q "error:.*$text" "$work/refused"
}

# run_tests PROGRAM: adds what GoogleTest counts. A program that ends early counts as a failure.
run_tests() {
  local log=$work/$1.log status=0 ok bad
  timeout 300 "$wine" "$build/tests/$1.exe" --gtest_brief=1 2>&1 | tr -d '\r' >"$log" || status=$?
  ok=$(grep -oP '^\[  PASSED  \] \K\d+' "$log" || echo 0)
  bad=$(grep -cP '^\[  FAILED  \] .* \(\d+ ms\)$' "$log" || true)
  if ((bad == 0 && (status != 0 || ok == 0))); then bad=1; fi
  if ((bad != 0)); then { echo "windows: $1 failed"; tail -n 60 "$log"; } >&2; fi
  passed=$((passed + ok)) failed=$((failed + bad))
}

configure() {
  if [[ ! -f $build/build.ninja ]]; then cmake --preset windows --log-level=WARNING; fi
}
counted "the configuration" configure
targets=("${programs[@]/#/tests/}")
counted "the build" ninja -C "$build" -j "$(nproc)" --quiet heapsmith_static "${targets[@]/%/.exe}"

# Clang takes the C++ library of MinGW.
clang=(clang++-19 --target=x86_64-w64-mingw32 -std=c++20 -Wall -Wextra -Werror -Iinclude)
for header in heapsmith/heapsmith.hpp heapsmith/region.h heapsmith/offset_region.h; do
  counted "clang: $header" "${clang[@]}" -fsyntax-only -x c++ -include "$header" /dev/null
done
gcc=(x86_64-w64-mingw32-g++-posix -std=c++20 -Iinclude -fsyntax-only -x c++)
for header in heap.h heap.hpp heapsmith.h; do
  counted "the refusal of $header" refuses "The heap .* is for Linux. Use .*docs/windows.md" \
    "${gcc[@]}" -include "heapsmith/$header" /dev/null
done
counted "the refusal of shared_region.hpp" refuses "are for Linux.*use region.h: docs/windows.md" \
  "${gcc[@]}" -include heapsmith/shared_region.hpp /dev/null
echo 'heapsmith::allocator<int> a;' >"$work/allocator.cpp"
counted "the refusal of allocator" refuses "is for Linux. On Windows, use resource_allocator" \
  "${gcc[@]}" -include heapsmith/allocator.hpp "$work/allocator.cpp"

counted "wineboot" wait "$wineboot"
for program in "${programs[@]}"; do run_tests "$program"; done
late_threads() {
  "${clang[@]}" -O1 tests/windows/late_threads.cpp -o "$work/late.exe" -static -lstdc++ -lgcc_eh \
    -lpthread && timeout 60 "$wine" "$work/late.exe"
}
counted "late threads by clang" late_threads

# The crate, where Rust's standard library for the target is installed or rustup can install it.
target=x86_64-pc-windows-gnu
has_std() { [[ -n $(find "$(rustc --print target-libdir --target "$target")" -name 'libstd-*' 2>/dev/null) ]]; }
if ! has_std && command -v rustup >/dev/null; then rustup --quiet target add "$target" || true; fi
options=(--locked --quiet --target "$target" --package heapsmith --no-default-features)
features=std,region,derive,allocator-api2-02,allocator-api2-04
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/build/cargo}
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc-posix
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine

crate_tests() {
  local log=$work/crate.log status=0 ok bad
  { x86_64-w64-mingw32-gcc-posix -shared tests/windows/bcryptprimitives.c -ladvapi32 \
    -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" &&
    cargo test "${options[@]}" --features "$features" --lib --tests; } >"$log" 2>&1 || status=$?
  ok=$(grep -oP '^test result:.* \K\d+(?= passed)' "$log" | awk '{ n += $1 } END { print n + 0 }')
  bad=$(grep -oP '^test result:.* \K\d+(?= failed)' "$log" | awk '{ n += $1 } END { print n + 0 }')
  if ((bad == 0 && (status != 0 || ok == 0))); then bad=1; fi
  if ((bad != 0)); then { echo "windows: the crate failed"; tail -n 60 "$log"; } >&2; fi
  passed=$((passed + ok)) failed=$((failed + bad))
}

if ! has_std; then
  echo "windows: the crate was not tested: Rust has no standard library for $target here"
elif [[ ${1:-} == --whole ]]; then
  crate_tests
  counted "the refusal of the feature heap" refuses 'the feature "heap" is for Linux: use' \
    cargo check "${options[@]}" --features std,heap
else
  counted "the crate" cargo check "${options[@]}" --features "$features"
fi
echo "$passed passed"
echo "$failed failed"
((failed == 0 && passed > 0))
