#!/usr/bin/env bash
# Prints how large the control data of each region is, and how much code and memory regions take on
# bare processors, beside allocators of others.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/freestanding/common.sh
source tests/freestanding/common.sh

here=bench/footprint
harness=tests/freestanding
out=build/footprint
declare -A processor=([cortex_m]="Cortex-M3" [riscv]="RV32IMAC")
declare -A rust_target=([cortex_m]=thumbv7m-none-eabi [riscv]=riscv32imac-unknown-none-elf)

# size_of FILE SYMBOL: the bytes of an object, from the symbol table.
size_of() { readelf -sW "$1" | awk -v name="$2" '$8 == name && !seen++ { print $3 }'; }

hosted_table() {
  local name objects=$out/hosted.o
  g++ -std=c++20 -O2 -Iinclude -c "$here/controls.cpp" -o "$objects"
  printf '\nControl data on this machine, outside the buffers:\n\n| object | bytes |\n|---|---:|\n'
  for name in small_region region synchronized_small_region synchronized_region \
    small_concurrent_region concurrent_region offset_region; do
    echo "| \`$name\` | $(size_of "$objects" "$name") |"
  done
}

# link OUTPUT ENTRY WORDS…
link() { ld.lld-19 --gc-sections -T "$harness/$target.ld" -o "$1" -e "$2" "${@:3}"; }

# code_of "FUNCTIONS" FILES…: the bytes of code and constants of a program that calls the functions,
# without what the program supplies.
code_of() {
  local functions roots=() elf=$folder/linked
  read -ra functions <<<"$1"
  for name in "${functions[@]}"; do roots+=(-u "$name"); done
  link "$elf" "${functions[0]}" "${roots[@]}" --defsym=memcpy=0 --defsym=memset=0 \
    --defsym=memmove=0 --defsym=hs_misuse=0 "${@:2}"
  readelf -SW "$elf" | sed 's/^ *\[ *[0-9]*\]//' |
    awk '$1 == ".text" { print strtonum("0x" $5) }'
}

# blocks_of PREFIX CONTROL_BYTES FILES…: the blocks of 24 bytes that 4 KiB hold with their control
# data. Runs the program on the target.
blocks_of() {
  local board objects=("$folder"/{count,memory,"$target"}.o)
  compile "$target" "$here/count.cpp" "$folder/count.o" -I"$harness" -fno-builtin \
    -DPREFIX="$1" -DCONTROL_BYTES="$2"
  link "$folder/count" program "${objects[@]}" "${@:3}"
  read -ra board <<<"${target_board[$target]}"
  timeout 60 "${board[@]}" -display none -monitor none -serial null \
    -semihosting-config enable=on,target=native -kernel "$folder/count" 2>&1
}

# row NAME PREFIX CONTROL_FILE "MORE CALLS" FILES…: a line of the table.
row() {
  local prefix=$2 bytes basic more=– name
  bytes=$(size_of "$3" "${prefix}_control")
  basic="${prefix}_init ${prefix}_malloc ${prefix}_free"
  if [[ -n $4 ]]; then more=$(code_of "$basic $4" "${@:5}"); fi
  printf '| %s | %d | %s | %d | %d |\n' "$1" "$(code_of "$basic" "${@:5}")" "$more" "$bytes" \
    "$(blocks_of "$prefix" "$bytes" "${@:5}")"
}

heapsmith_rows() {
  local kind
  compile "$target" "$here/controls.cpp" "$folder/controls.o"
  for kind in hs_small_region hs_region; do
    row "\`$kind\`" "$kind" "$folder/controls.o" "${kind}_realloc ${kind}_aligned_alloc" \
      "$folder"/library/*.o
  done
}

# It has no realloc, and its blocks lie elsewhere than in memory.
offset_row() {
  local basic="hs_offset_region_init hs_offset_region_allocate hs_offset_region_deallocate"
  printf '| %s | %d | %d | %d | – |\n' "\`hs_offset_region\`, try_expand" \
    "$(code_of "$basic" "$folder"/library/*.o)" \
    "$(code_of "$basic hs_offset_region_try_expand" "$folder"/library/*.o)" \
    "$(size_of "$folder/controls.o" offset_region)"
}

# Rust's core library for the target comes from rustup, which not every machine has.
rust_rows() {
  local triple=${rust_target[$target]} lists
  local library=$out/cargo/$triple/release/libfootprint_peers.a
  if ! rustup target add "$triple" >"$out/rustup.log" 2>&1; then
    echo "| rlsf, tlsf | not measured: rustup has no $triple | | | |"
    return
  fi
  cargo build --quiet --locked --release --manifest-path "$here/peers/Cargo.toml" \
    --target "$triple" --target-dir "$out/cargo" || return
  for lists in 1 16; do
    row "rlsf 0.2.3, 16 × $lists lists" "rlsf$lists" "$library" \
      "rlsf${lists}_realloc rlsf${lists}_aligned" "$library"
  done
  row "tlsf 1.1.0, up to 64 KiB" tlsf "$library" "" "$library"
}

# The C source in the crate o1heap, compiled as ours.
o1heap_row() {
  local source
  source=$(cargo metadata --quiet --locked --format-version 1 --manifest-path \
    "$here/peers/Cargo.toml" | grep -o '"manifest_path":"[^"]*/o1heap-[0-9.]*/' |
    head -n 1 | cut -d'"' -f4) || return
  read -ra flags <<<"${target_flags[$target]}"
  clang-19 "${flags[@]}" -std=c2x -Os -ffreestanding -ffunction-sections -fdata-sections -DNDEBUG \
    '-DO1HEAP_ASSERT(x)=(void)0' -I"$here/stand_in" -I"$source/o1heap/o1heap" \
    -c "$here/o1heap_calls.c" -o "$folder/o1heap.o"
  row "o1heap 0.0.2" o1heap "$folder/o1heap.o" "" "$folder/o1heap.o"
}

mkdir -p "$out"
hosted_table
for target in "${targets[@]}"; do
  folder=$out/$target
  build_library "$target" "$folder/library"
  for part in memory "$target"; do
    compile "$target" "$harness/$part.cpp" "$folder/$part.o" -I"$harness" -fno-builtin
  done
  printf '\n%s, bytes of code (-Os) and of memory:\n\n' "${processor[$target]}"
  echo '| allocator | init, malloc, free | with realloc, aligned | control data | blocks in 4 KiB |'
  echo '|---|---:|---:|---:|---:|'
  heapsmith_rows
  offset_row
  rust_rows
  o1heap_row
done
