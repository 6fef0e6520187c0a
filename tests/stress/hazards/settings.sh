#!/usr/bin/env bash
# Settings of the environment and of the program, as a user meets them. Arguments: the preload
# library, the program `linked`, the folder of the programs settings_KIND, docs/environment.md.
set -uo pipefail
preload=$1
linked=$2
programs=$3
page=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
# shellcheck source=tests/stress/hazards/expect.sh
source "${BASH_SOURCE[0]%/*}/expect.sh"

# said STATUS LINES COMMAND…: whether the command ends with this status, and stderr has just LINES, in
# which PID stands for any process.
said() {
  local status=$1 lines=$2
  shift 2
  "$@" >out 2>err
  local got=$?
  sed -i 's/process [0-9]*/process PID/' err
  [[ $got == "$status" && $(<err) == "$lines" ]] || { echo "status $got"; cat err; false; }
}
plainly() { env "$@"; }
under() { env LD_PRELOAD="$preload" "$@"; }
prints() { [[ $("${@:2}") == "$1" ]]; }

reserve='heapsmith: HEAPSMITH_RESERVE'
expect "no setting, no word" said 0 "" under true
expect "a malformed size is named" said 0 "$reserve: \"12Q\": expected a size such as 64G; ignored" \
  under HEAPSMITH_RESERVE=12Q true
expect "once, although two libraries are loaded" said 0 \
  "$reserve: \"12Q\": expected a size such as 64G; ignored" under HEAPSMITH_RESERVE=12Q "$linked"
expect "a program linked with libheapsmith.so names it, too" said 0 \
  "$reserve: \"12Q\": expected a size such as 64G; ignored" env HEAPSMITH_RESERVE=12Q "$linked"
expect "a small reserve says which heap it allows" said 0 \
  "$reserve: \"1M\": too small; 64M is used, which allows a heap of 4G" \
  under HEAPSMITH_RESERVE=1M true
expect "a large reserve is clamped" said 0 "$reserve: \"200T\": too large; 16T is used" \
  under HEAPSMITH_RESERVE=200T true
confined() { (ulimit -v 200000 && under "$@"); }
expect "and works under a limit of address space" said 0 "" \
  confined HEAPSMITH_RESERVE=16T sort /dev/null
expect "an unknown name is named" said 0 \
  "heapsmith: HEAPSMITH_STAT is unknown; HEAPSMITH_VERBOSE=1 lists the settings" \
  under HEAPSMITH_STAT=1 true
expect "variables of the command are not" said 0 "" \
  under HEAPSMITH_PRELOAD=x HEAPSMITH_LAB_DIR=x HEAPSMITH_CACHE_DIR=x HEAPSMITH_PROBE_FILE=x true

limit='heapsmith: HEAPSMITH_LIMIT_BYTES: "12Q": expected a size such as 64G; the program ends'
expect "a malformed limit ends the program" said 78 "$limit" \
  under HEAPSMITH_LIMIT_BYTES=12Q sh -c 'echo started >started'
expect "before it starts" test ! -e started

no_file='heapsmith: stats_file: "/no/stats": No such file or directory; no statistics are written'
expect "an unwritable file is named" said 0 "$no_file" \
  under HEAPSMITH_STATS=1 HEAPSMITH_STATS_FILE=/no/stats true
full='heapsmith: stats_file: "/dev/full": No space left on device; no statistics are written'
expect "a full file, too" said 0 "$full" under HEAPSMITH_STATS_FILE=/dev/full true
under HEAPSMITH_STATS_FILE=alone.txt true
expect "a file alone turns statistics on" grep -q 'statistics of true, process' alone.txt
under HEAPSMITH_STATS=0 HEAPSMITH_STATS_FILE=off.txt true
expect "unless they are off" test ! -e off.txt

under HEAPSMITH_STATS=1 sh -c 'true & wait; exec cat /dev/null' 2>err
expect "a process that execs writes its statistics once" prints 1 grep -c 'statistics of cat' err
expect "a forked child writes none" prints 1 grep -c statistics err

sed -n 's/^| .\([a-z_]*\)., .HEAPSMITH_.*/\1/p' "$page" | sort >documented
for kind in override static archive shared exported hidden; do
  program=$programs/settings_$kind
  way=plainly
  [[ $kind == exported ]] && way=under
  expect "$kind: the program's limit holds" prints limited "$way" "$program"
  expect "$kind: the environment wins" prints free "$way" HEAPSMITH_LIMIT_BYTES=64M "$program"
  "$way" HEAPSMITH_VERBOSE=1 HEAPSMITH_CACHE_BYTES=2M "$program" >out 2>err
  expect "$kind: lists them" grep -qE '^  limit_bytes +4M +hs_settings$' err
  expect "$kind: lists those of the environment" \
    grep -qE '^  cache_bytes +2M +HEAPSMITH_CACHE_BYTES$' err
  expect "$kind: lists all" prints 13 grep -c -v limit.of err
  expect "$kind: says once that the limit is reached" prints 1 grep -c \
    '^heapsmith: the limit of 4M leaves no room for [0-9]*[KM] more; see limit_bytes in docs/' err
  "$way" HEAPSMITH_STATS=1 "$program" >out 2>err
  expect "$kind: writes statistics" grep -q "statistics of settings_$kind, process" err
done
# Several copies of the library in one process: one speaks, and each heap in use is described once.
for kind in override archive shared exported hidden; do
  under HEAPSMITH_STATS=1 HEAPSMITH_STATZ=1 "$programs/settings_$kind" >out 2>err
  expect "$kind, preloaded: a mistake is named once" prints 1 grep -c 'STATZ is unknown' err
  heaps=1
  [[ $kind == archive ]] && heaps=2 # its own for hs_malloc, and the preload's for malloc
  expect "$kind, preloaded: $heaps statistics" prints "$heaps" grep -c statistics err
done
expect "broken: mistakes in the program are named, and its limit ends it" said 78 \
  'heapsmith: hs_settings: colour is unknown; HEAPSMITH_VERBOSE=1 lists the settings
heapsmith: hs_settings: statz is unknown; HEAPSMITH_VERBOSE=1 lists the settings
heapsmith: hs_settings: limit_bytes: "4Q": expected a size such as 64G; the program ends' \
  "$programs/settings_broken"
all_held
