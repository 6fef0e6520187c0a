#!/usr/bin/env bash
# Statistics at exit reach the place they were promised to, and no descriptor of the program's own.
# Arguments: the preload library, the programs `descriptors` and `linked`.
set -uo pipefail
preload=$1
program=$2
linked=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
# shellcheck source=tests/stress/hazards/expect.sh
source "${BASH_SOURCE[0]%/*}/expect.sh"

# under NAME=VALUE… COMMAND…: runs it with the library preloaded; stderr goes to the file err.
under() { env LD_PRELOAD="$preload" "$@" 2>err; }

reports() { grep -c '^heapsmith [0-9.]*: statistics of [^ ]*, process ' "$1"; }
has_reports() { [[ $(reports "$1") == "$2" ]]; }
is_empty() { [[ -e $1 && ! -s $1 ]]; }

under HEAPSMITH_STATS=1 ls / >/dev/null
expect "ls, which closes stderr at exit, reports" has_reports err 1
expect "the report tells what is in use" grep -q 'in use' err

under HEAPSMITH_STATS=0 ls / >/dev/null
expect "HEAPSMITH_STATS=0 is quiet" is_empty err

under HEAPSMITH_STATS=json ls / >/dev/null
expect "json is one object" grep -qE '^\{"heapsmith":"[0-9.]+","program":"ls","process":[0-9]+,.*\}$' err

for limit in 256 1024; do
  rm -f own
  (ulimit -n "$limit" && under HEAPSMITH_STATS=1 "$program" reuse_all own)
  expect "a reused descriptor gets nothing (ulimit -n $limit)" is_empty own
  rm -f own
  (ulimit -n "$limit" && under HEAPSMITH_STATS=1 "$program" reuse_stderr own)
  expect "a reused descriptor 2 gets nothing (ulimit -n $limit)" is_empty own
  expect "the old stderr gets the report (ulimit -n $limit)" has_reports err 1
done

under HEAPSMITH_STATS=1 HEAPSMITH_STATS_FILE=here.txt "$program" chdir -
expect "a relative file lies where the program started" has_reports here.txt 1
expect "and stderr gets nothing then" is_empty err

under HEAPSMITH_STATS=1 HEAPSMITH_STATS_FILE="$work/all.txt" "$program" reuse_all own2
expect "a file is written even when every descriptor is taken" test -e own2
expect "the program's own file gets nothing" is_empty own2

under HEAPSMITH_STATS=1 "$program" children -
expect "forked children do not report" has_reports err 1

HEAPSMITH_STATS=1 "$linked" 2>err
expect "a program linked to libheapsmith.so reports" has_reports err 1
under HEAPSMITH_STATS=1 "$linked"
expect "and once when it is preloaded too" has_reports err 1
expect "of the heap that serves it" grep -qE '^  in use +1024\.0 KiB' err

all_held
