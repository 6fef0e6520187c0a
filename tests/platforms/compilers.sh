#!/usr/bin/env bash
# The public headers under every supported compiler that is installed: without a warning, with and
# without exceptions and run-time type information; and a program of all families, built and run.
# compilers.sh [--whole]      --whole compiles each header alone with each compiler and each mode,
#                             and adds Clang 22 with libc++, from the Python package ziglang
# Prints how many of these passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
whole=${1:-}

compilers=()
for each in g++-11 g++-12 g++-13 g++-14 clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 \
  clang++-19; do
  if command -v "$each" >/dev/null; then compilers+=("$each"); fi
done
if [[ $whole == --whole ]]; then
  # Debian's newest Clang is 19. The package has a later one, with its own C++ library, and turns
  # on checks of undefined behaviour.
  zig=$PWD/build/ziglang
  pip3 install --quiet --root-user-action=ignore --upgrade --target "$zig" --require-hashes --only-binary :all: \
    -r tests/platforms/ziglang.txt
  compilers+=(clang++-22)
  export zig ZIG_GLOBAL_CACHE_DIR=$zig/cache
fi
bare="-fno-exceptions -fno-rtti"
warnings="-Wall -Wextra -Wshadow -Wsign-conversion -Werror"
headers=$(find include/heapsmith -name '*.h' -o -name '*.hpp' | grep -v /detail/ | LC_ALL=C sort)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in $headers; do echo "#include \"${header#include/}\""; done >"$work/all.cpp"

# syntax COMPILER MODE FILES… and program COMPILER MODE: a job each.
jobs() {
  local compiler standard
  for compiler in "${compilers[@]}"; do
    for standard in c++20 c++2b; do
      echo "syntax|$compiler|-std=$standard|$work/all.cpp"
      echo "syntax|$compiler|-std=$standard $bare|$work/all.cpp"
    done
    echo "program|$compiler|-std=c++20|"
    echo "program|$compiler|-std=c++20 $bare -DHEAPSMITH_HARDENED|"
    [[ $whole == --whole || $compiler == g++-11 || $compiler == clang++-14 ]] || continue
    for header in $headers; do
      echo "syntax|$compiler|-std=c++20 $bare|-include $header /dev/null"
      if [[ $whole == --whole ]]; then
        echo "syntax|$compiler|-std=c++20|-include $header /dev/null"
        echo "syntax|$compiler|-std=c++2b -DHEAPSMITH_HARDENED|-include $header /dev/null"
      fi
    done
  done
}

clang++-22() { PYTHONPATH=$zig python3 -m ziglang c++ "$@"; }

run_job() {
  local what compiler mode files out status=0
  IFS='|' read -r what compiler mode files <<<"$1"
  out=$(mktemp -p "$work")
  # zig expects an output
  local no_output="-fsyntax-only"
  if [[ $compiler == clang++-22 ]]; then no_output="-c -o $out.o"; fi
  # shellcheck disable=SC2086
  case $what in
    syntax) $compiler $mode $warnings -Iinclude -x c++ $no_output $files >"$out" 2>&1 || status=1 ;;
    program)
      { $compiler $mode $warnings -Iinclude -O1 tests/platforms/families.cpp -o "$out.program" \
        build/release/libheapsmith.a -pthread && "$out.program"; } >"$out" 2>&1 || status=1 ;;
  esac
  if ((status == 0)); then echo passed; return; fi
  { echo "$compiler $mode: $what $files"; head -n 20 "$out"; } >&2
  echo failed
}
export -f run_job clang++-22
export work warnings

# shellcheck disable=SC2016
jobs | xargs -d '\n' -n 1 -P "$(nproc)" bash -c 'run_job "$1"' _ >"$work/results"
echo "compilers: ${compilers[*]}"
echo "$(grep -c passed "$work/results" || true) passed"
echo "$(grep -c failed "$work/results" || true) failed"
! grep -q failed "$work/results" && grep -q passed "$work/results"
