#!/usr/bin/env bash
# Linux on aarch64: the libraries and the tests, built by Debian's cross compiler and run by QEMU.
# aarch64.sh [--whole]      --whole runs all tests; without it, those of the heap's slabs and blocks
# Prints how many tests passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/aarch64
targets=(heapsmith heapsmith_static heapsmith_preload heapsmith_override)
tests='^unit\.(base|slabs|heap)\.'
if [[ ${1:-} == --whole ]]; then
  targets=(all)
  tests='.'
else
  targets+=(tests/unit/unit_base tests/unit/unit_slabs tests/unit/unit_heap)
fi

# What QEMU does not emulate, so that tests of it cannot pass there:
emulation=(
  'unit\.(os\.(MapAt|Map\.GivesThePaddingBack)|spans\.Range)'     # MAP_FIXED_NOREPLACE, holes
  'unit\.(os\.Populate|heap\.Zeroed\.|(spans|heap)\.Prefault)'    # mincore, and limits of memory
  'unit\.heap\.Reallocate\.ADirectMapGivesBack'                   # mremap of a part
  'unit\.(os\.ForkDetector|threads\.UnannouncedFork)'             # MADV_WIPEONFORK
  'unit\.(os|spans)\.Settings|unit\.heap\..*DeathTest'         # programs that start themselves
  'ExhaustionThrows|TryCreateReturnsNothing'                      # RLIMIT_AS
  'unit\.region\.Shared(Refusals|Cut)|stress\.shared_region'      # robust futexes
  'stress\.first_calls'                                           # again
)

if [[ ! -e $build/build.ninja ]]; then
  cmake --preset aarch64 >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
fi
ninja -C "$build" --quiet "${targets[@]}" >&2

# A program of tests: compile NAME FLAGS…
compile() {
  aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -Iinclude \
    -o "$build/$1" tests/platforms/c_api.c "${@:2}"
}
compile static -static "$build/libheapsmith.a"
compile replaced -static -DREPLACES_MALLOC -Wl,--whole-archive "$build/libheapsmith_override.a" \
  -Wl,--no-whole-archive "$build/libheapsmith.a"
compile dynamic -L"$build" -lheapsmith -Wl,-rpath,"$PWD/$build"
compile preloaded -DREPLACES_MALLOC -L"$build" -lheapsmith -Wl,-rpath,"$PWD/$build"

passed=0 failed=0
# run NAME OPTIONS…: counts the lines "ok …".
run() {
  local lines
  if lines=$(timeout 300 qemu-aarch64 -L /usr/aarch64-linux-gnu "${@:2}" "$build/$1"); then
    passed=$((passed + $(grep -c '^ok ' <<<"$lines")))
  else
    echo "aarch64: $1: $lines" >&2
    failed=$((failed + 1))
  fi
}
run static
run replaced
run dynamic
run preloaded -E LD_PRELOAD="$PWD/$build/libheapsmith_preload.so"

excluded=$(IFS='|'; echo "${emulation[*]}")
ctest --test-dir "$build" -j "$(nproc)" --timeout 300 --output-on-failure -R "$tests" \
  -E "$excluded" >"$build/tests.log" 2>&1 || true
summary=$(grep -oP '\d+ tests failed out of \d+' "$build/tests.log" || echo "1 tests failed out of 0")
skipped=$(grep -c '\*\*\*Skipped' "$build/tests.log" || true)
bad=${summary%% *} all=$((${summary##* } - skipped))
if ((bad != 0)); then grep -vE '   Passed ' "$build/tests.log" | tail -n 80 >&2; fi
echo "$((passed + (all > bad ? all - bad : 0))) passed"
echo "$((failed + bad)) failed"
((failed + bad == 0 && passed > 0))
