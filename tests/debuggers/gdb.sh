#!/usr/bin/env bash
# The commands and printers of gdb on a process, and then on its core file.
# gdb.sh PROGRAM FOLDER_OF_THE_COMMANDS
set -euo pipefail
program=$1 commands=$2/heapsmith.py
check=$(dirname "$(realpath "$0")")/in_gdb.py
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-gdb.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export TRUTH=$scratch/truth ANSWERS=${check%/*} PYTHONDONTWRITEBYTECODE=1 DEBUGINFOD_URLS=''

debug() {
  gdb -nx -batch -ex 'set startup-with-shell off' -ex 'set width 0' -ex "source $commands" "$@" 2>&1
}

expect_right() {
  grep -E '^(FAILED|  it says|[0-9]+ of)' <<<"$2" || true
  [[ $2 =~ ([0-9]+)\ of\ ([0-9]+)\ answers ]] && ((BASH_REMATCH[1] == BASH_REMATCH[2] &&
    BASH_REMATCH[2] > 100)) && return
  printf '%s: %s\n' "$1" "$2"
  exit 1
}

said=$(debug -ex 'heapsmith block 0' "$program" || true)
[[ $said == *'no process runs'* ]] || { echo "without a process: $said"; exit 1; }

said=$(debug -ex 'break stop_here' -ex run -ex "source $check" \
  -ex "generate-core-file $scratch/core" --args "$program" "$TRUTH")
if [[ $said == *'Operation not permitted'* ]]; then echo "gdb may not trace here"; exit 77; fi
expect_right "on a process" "$said"
said=$(debug -ex "source $check" "$program" "$scratch/core")
expect_right "on a core file" "$said"

strip -o "$scratch/bare" "$(ldd "$program" | awk '/libheapsmith/ { print $3 }')"
ln -s bare "$scratch/libheapsmith.so.0"
said=$(LD_LIBRARY_PATH=$scratch debug -ex 'break stop_here' -ex run -ex 'info heapsmith' \
  --args "$program" "$TRUTH" || true)
[[ $said == *'no debug information'* ]] || { echo "without debug information: $said"; exit 1; }
echo ok
