# How the free-standing build compiles and links for each target. To be sourced from the top folder.
# shellcheck shell=bash

# For each target: what the compiler needs to know, and the board on which qemu runs it.
declare -A target_flags=(
  [cortex_m]="--target=thumbv7m-none-eabi -mcpu=cortex-m3 -meabi gnu"
  [riscv]="--target=riscv32-none-elf -march=rv32imac -mabi=ilp32"
)
declare -A target_board=(
  [cortex_m]="qemu-system-arm -machine mps2-an385"
  [riscv]="qemu-system-riscv32 -machine virt -bios none"
)
targets=(cortex_m riscv)

# The C++ headers <bit>, <cstddef>, <cstdint>, <new> and <type_traits>: those of the host's libstdc++
# name no operating system, but for one header that stand_in replaces.
gcc_version=$(g++ -dumpversion)
cxx_headers=(-nostdinc++ -isystem tests/freestanding/stand_in
  -isystem "/usr/include/c++/$gcc_version"
  -isystem "/usr/include/$(g++ -dumpmachine)/c++/$gcc_version")

# As docs/embedded.md prints them.
bare_flags=(-std=c++20 -Os -ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -ffunction-sections -fdata-sections -Wall -Wextra -Werror -DNDEBUG -Iinclude -Isrc)

# freestanding_sources: those of the library, from the list that CMake has.
freestanding_sources() {
  sed -n '/^set(HEAPSMITH_FREESTANDING_SOURCES/,/)/p' cmake/sources.cmake |
    grep -oE '[a-z_]+/[a-z_]+\.cpp' | sed 's|^|src/|'
}

# compile TARGET SOURCE OBJECT FLAGS…
compile() {
  local flags
  read -ra flags <<<"${target_flags[$1]}"
  clang++-19 "${flags[@]}" "${bare_flags[@]}" "${cxx_headers[@]}" "${@:4}" -c "$2" -o "$3"
}

# build_library TARGET FOLDER: the objects of the library.
build_library() {
  local source
  mkdir -p "$2" || return
  for source in $(freestanding_sources); do
    compile "$1" "$source" "$2/$(basename "$source" .cpp).o" || return
  done
}
