#!/usr/bin/env bash
# The crate for the targets whose standard library is here or that rustup can install: compiled for
# each, and run where a program can be.
# rust.sh [--whole]      --whole runs all of the crate's tests; without it, those of
#                        the global allocator
# Prints how many tests passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$PWD/build/rust-targets
mkdir -p "$work"
export CARGO_TARGET_DIR=$work/cargo RUSTFLAGS="-D warnings"
pure=derive,serde,allocator-api2-02,allocator-api2-04
log=$work/log

passed=0 failed=0
# counted NAME COMMAND…: a test of its own.
counted() {
  if "${@:2}" >"$log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    { echo "rust: $1 failed"; tail -n 40 "$log"; } >&2
  fi
}

# has TARGET: whether Rust can build for the target, now or after rustup has installed it.
has() {
  local at
  at=$(rustc --print target-libdir --target "$1")
  if [[ -z $(find "$at" -name 'libcore-*' 2>/dev/null) ]] && command -v rustup >/dev/null; then
    timeout 120 rustup --quiet target add "$1" >/dev/null 2>&1 || true
  fi
  if [[ -n $(find "$at" -name 'libcore-*' 2>/dev/null) ]]; then return; fi
  echo "rust: not tested: Rust has no standard library for $1 here" >&2
  return 1
}

# on TARGET VERB FEATURES ARGUMENTS…: cargo VERB, for the crate with these features only.
on() {
  nice -n 5 cargo "$2" --quiet --locked --target "$1" --package heapsmith --no-default-features \
    --features "$3" "${@:4}"
}

# tested TARGET FEATURES ARGUMENTS…: tests of the crate, counted one by one.
tests=(--test global_allocator)
if [[ ${1:-} == --whole ]]; then tests=(--lib --tests); fi
tested() {
  local status=0 ok bad
  on "$1" test "$2" --no-fail-fast "${tests[@]}" "${@:3}" >"$log" 2>&1 || status=$?
  ok=$(grep -oP '^test result:.* \K\d+(?= passed)' "$log" | awk '{ n += $1 } END { print n + 0 }')
  bad=$(grep -oP '^test result:.* \K\d+(?= failed)' "$log" | awk '{ n += $1 } END { print n + 0 }')
  if ((bad == 0 && (status != 0 || ok == 0))); then bad=1; fi
  if ((bad != 0)); then { echo "rust: $1 failed"; tail -n 60 "$log"; } >&2; fi
  passed=$((passed + ok)) failed=$((failed + bad))
}

# Bare processors: without atomic addition, without 64-bit registers.
for target in thumbv6m-none-eabi thumbv7m-none-eabi riscv32imac-unknown-none-elf; do
  if ! has "$target"; then continue; fi
  counted "$target, core alone" on "$target" check ""
  counted "$target, alloc" on "$target" check "alloc,$pure"
done

# musl: Debian's GCC compiles the core with musl's headers, as tests/platforms/musl does.
target=x86_64-unknown-linux-musl
if has "$target"; then
  gcc=$(g++ -dumpversion) kernel=$work/kernel-headers
  mkdir -p "$kernel"
  ln -sfn /usr/include/linux "$kernel/linux"
  ln -sfn /usr/include/asm-generic "$kernel/asm-generic"
  ln -sfn /usr/include/x86_64-linux-gnu/asm "$kernel/asm"
  export CXX_x86_64_unknown_linux_musl=g++
  export CXXFLAGS_x86_64_unknown_linux_musl="-specs=/usr/lib/x86_64-linux-musl/musl-gcc.specs \
-nostdinc++ -isystem /usr/include/c++/$gcc -isystem /usr/include/x86_64-linux-gnu/c++/$gcc \
-isystem /usr/include/x86_64-linux-musl -idirafter $kernel \
-include $PWD/rust/heapsmith-sys/core/cmake/libstdcxx_over_musl.hpp -D__GLIBC_PREREQ(major,minor)=0 \
-D__locale_t=locale_t"
  tested "$target" "std,heap,region,$pure"
fi

# aarch64: QEMU runs the programs.
target=aarch64-unknown-linux-gnu
if has "$target"; then
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
  # Programs that start themselves cannot do so there.
  PROPTEST_CASES=32 tested "$target" "std,heap,region,$pure" \
    -- --skip both_are_listed --skip the_environment_wins
fi

echo "$passed passed"
echo "$failed failed"
((failed == 0 && passed > 0))
