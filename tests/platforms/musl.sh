#!/usr/bin/env bash
# The libraries over musl: built with musl-tools, linked statically and dynamically, and in place of
# malloc. Prints how many tests passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
at=build/musl
if [[ ! -e $at/build.ninja ]]; then
  cmake -S . -B "$at" -G Ninja --toolchain tests/platforms/musl/toolchain.cmake \
    -DHEAPSMITH_WERROR=ON >"$at.log" 2>&1 || { cat "$at.log" >&2; exit 1; }
fi
cmake --build "$at" >&2

# A program of tests: compile NAME FLAGS…
compile() {
  musl-gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -o "$at/$1" \
    tests/platforms/c_api.c "${@:2}"
}
compile static -static "$at/libheapsmith.a"
compile replaced -static -DREPLACES_MALLOC -Wl,--whole-archive "$at/libheapsmith_override.a" \
  -Wl,--no-whole-archive "$at/libheapsmith.a"
compile dynamic -L"$at" -lheapsmith -Wl,-rpath,"$PWD/$at"
compile preloaded -DREPLACES_MALLOC -L"$at" -lheapsmith -Wl,-rpath,"$PWD/$at"

passed=0 failed=0
# run NAME COMMAND…: counts the lines "ok …".
run() {
  local lines
  if lines=$("${@:2}"); then
    passed=$((passed + $(grep -c '^ok ' <<<"$lines")))
  else
    echo "$1: $lines" >&2
    failed=$((failed + 1))
  fi
}
run static "$at/static"
run replaced "$at/replaced"
run dynamic "$at/dynamic"
run preloaded env LD_PRELOAD="$PWD/$at/libheapsmith_preload.so" "$at/preloaded"
echo "$passed passed"
echo "$failed failed"
((failed == 0 && passed > 0))
