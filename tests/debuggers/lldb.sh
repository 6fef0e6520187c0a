#!/usr/bin/env bash
# The commands and formatters of lldb on a process, and then on its core file.
# lldb.sh LLDB PROGRAM FOLDER_OF_THE_COMMANDS
set -euo pipefail
lldb=$1 program=$2 commands=$3/heapsmith.py
check=$(dirname "$(realpath "$0")")/in_lldb.py
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-lldb.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export TRUTH=$scratch/truth ANSWERS=${check%/*} PYTHONDONTWRITEBYTECODE=1 DEBUGINFOD_URLS=''

debug() {
  timeout 100 "$lldb" -x -b -o 'settings set target.disable-aslr false' \
    -o "command script import $commands" "$@" 2>&1
}

expect_right() {
  grep -E '^(FAILED|  it says|[0-9]+ of)' <<<"$2" || true
  [[ $2 =~ ([0-9]+)\ of\ ([0-9]+)\ answers ]] && ((BASH_REMATCH[1] == BASH_REMATCH[2] &&
    BASH_REMATCH[2] > 100)) && return
  printf '%s: %s\n' "$1" "$2"
  exit 1
}

said=$(debug -o 'heapsmith block 0' "$program" || true)
[[ $said == *'no process runs'* ]] || { echo "without a process: $said"; exit 1; }

said=$(debug -o 'breakpoint set -n stop_here' -o run -o "command script import $check" \
  -- "$program" "$TRUTH" || true)
if [[ $said == *'Operation not permitted'* ]]; then echo "lldb may not trace here"; exit 77; fi
expect_right "on a process" "$said"
# gdb writes the core file: lldb 19 finds no stack in its own.
gdb -nx -batch -ex 'set startup-with-shell off' -ex 'break stop_here' -ex run \
  -ex "generate-core-file $scratch/core" --args "$program" "$TRUTH" >"$scratch/log" 2>&1
said=$(debug -c "$scratch/core" -o "command script import $check" "$program")
expect_right "on a core file" "$said"

strip -o "$scratch/bare" "$(ldd "$program" | awk '/libheapsmith/ { print $3 }')"
ln -s bare "$scratch/libheapsmith.so.0"
said=$(debug -o "settings set target.env-vars LD_LIBRARY_PATH=$scratch" \
  -o 'breakpoint set -n stop_here' -o run -o 'heapsmith info' -- "$program" "$TRUTH" || true)
[[ $said == *'no debug information'* ]] || { echo "without debug information: $said"; exit 1; }
echo ok
