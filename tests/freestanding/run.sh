#!/usr/bin/env bash
# Builds regions for bare processors and runs their tests under qemu. Prints "N passed" and
# "N failed" for each processor.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/freestanding/common.sh
source tests/freestanding/common.sh

out=build/freestanding
here=tests/freestanding
failed=0

# Nothing of libc but memcpy and memset.
only_two_functions() {
  local needed
  needed=$(nm -u "$1"/*.o | awk '$1 == "U" && $2 !~ /heapsmith/ { print $2 }' | sort -u |
    tr '\n' ' ')
  if [[ $needed == "hs_misuse memcpy memset " ]]; then
    echo "1 passed, 0 failed"
  else
    echo "the objects of $1 need: $needed"
    echo "0 passed, 1 failed"
    failed=1
  fi
}

# run ELF: on the target. A program that hangs or does not start fails, too.
run() {
  local board
  read -ra board <<<"${target_board[$target]}"
  timeout 60 "${board[@]}" -display none -monitor none -serial null \
    -semihosting-config enable=on,target=native -kernel "$1"
}

# link OUTPUT OBJECTS…: with the library.
link() { ld.lld-19 --gc-sections -T "$here/$target.ld" "${@:2}" "$folder"/library/*.o -o "$1"; }

# The example of docs/embedded.md, with the flags that it prints.
example() {
  local flags
  read -ra flags <<<"${target_flags[$target]}"
  awk '/^```c$/ { shown = 1; next } /^```$/ { shown = 0 } shown' docs/embedded.md \
    >"$folder/main.c" &&
    clang-19 "${flags[@]}" -std=c11 -Os -ffreestanding -Wall -Wextra -Werror -Iinclude \
      -c "$folder/main.c" -o "$folder/main.o" &&
    link "$folder/example.elf" "$folder"/{main,example,memory,"$target"}.o &&
    run "$folder/example.elf"
}

# With pointers of 64 bits, and by GCC.
mkdir -p "$out/host"
for source in $(freestanding_sources); do
  g++ "${bare_flags[@]}" -c "$source" -o "$out/host/$(basename "$source" .cpp).o"
done
only_two_functions "$out/host"

for target in "${targets[@]}"; do
  folder=$out/$target
  build_library "$target" "$folder/library"
  only_two_functions "$folder/library"
  for source in program suite memory example "$target"; do
    compile "$target" "$here/$source.cpp" "$folder/$source.o" -I"$here" -fno-builtin
  done
  link "$folder/program.elf" "$folder"/{program,suite,memory,"$target"}.o
  if ! run "$folder/program.elf"; then
    echo "the tests on $target failed"
    failed=1
  fi
  if example; then
    echo "1 passed, 0 failed"
  else
    echo "the example of docs/embedded.md fails on $target"
    echo "0 passed, 1 failed"
    failed=1
  fi
done
exit "$failed"
