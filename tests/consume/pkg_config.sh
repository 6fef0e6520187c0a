#!/usr/bin/env bash
# Compiles a program with the flags of the pkg-config file and runs it. Then it moves the installed
# tree and repeats that. Arguments: the prefix, a C program, a C++ program.
set -euo pipefail
prefix=$1 source=$2 families=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

consume() {
  local libdir
  PKG_CONFIG_PATH=$(dirname "$(find "$1" -name heapsmith.pc)")
  export PKG_CONFIG_PATH
  libdir=$(pkg-config --variable=libdir heapsmith)
  # shellcheck disable=SC2046 # the flags are words
  "${CC:-cc}" -Wall -Wextra -Werror "$source" $(pkg-config --cflags --libs heapsmith) \
    -o "$scratch/program"
  LD_LIBRARY_PATH=$libdir "$scratch/program"
  # shellcheck disable=SC2046
  "${CXX:-c++}" -Wall -Wextra -Werror "$families" $(pkg-config --cflags --libs heapsmith-headers) \
    -o "$scratch/program_cpp"
  "$scratch/program_cpp"
  [[ $(pkg-config --modversion heapsmith) == 0.1.0 ]]
  LD_LIBRARY_PATH=$libdir ldd "$scratch/program" | grep -F "$(realpath "$libdir")" >/dev/null ||
    LD_LIBRARY_PATH=$libdir ldd "$scratch/program" | grep -F "$libdir/libheapsmith.so.0"
}

consume "$prefix"
cp -a "$prefix" "$scratch/moved"
consume "$scratch/moved"
