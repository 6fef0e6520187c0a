#!/usr/bin/env bash
# Statistics on signals, and the program's own handlers. Arguments: the preload library, the program
# on_signal.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
# shellcheck source=tests/stress/hazards/expect.sh
source "${BASH_SOURCE[0]%/*}/expect.sh"
preload=$1 program=$2

# ends STATUS REPORTS SAID CASE SETTINGS…: how the program ends, and what it leaves behind.
ends() {
  rm -f file out
  local got=0 said
  said=$(env LD_PRELOAD="$preload" "${@:5}" "$program" "$4" 2>err) || got=$?
  local reports
  reports=$(cat file err 2>/dev/null | grep -c 'statistics of hazard_on_signal')
  [[ $got == "$1" && $reports == "$2" && $said == "$3" ]] ||
    { echo "$4: status $got, $reports reports, said $said" && false; }
}
in_file=HEAPSMITH_STATS_FILE=file
expect "a process that SIGTERM ends leaves figures" ends 143 1 default plain "$in_file"
expect "not on stderr" ends 143 0 default plain HEAPSMITH_STATS=1
expect "nor if they are off" ends 143 0 default plain "$in_file" HEAPSMITH_STATS=0
expect "the program's handler is called" ends 0 1 handled handler "$in_file"
expect "a handler that sends the signal again" ends 143 1 handled again "$in_file"
expect "an ignored signal stays ignored" ends 1 1 ignored ignored "$in_file"
inherits() { (trap '' TERM && ends "$@"); }
expect "also from the start" inherits 1 1 ignored plain "$in_file"
# One at the end, and one for each signal that is not ignored.
expect "a named signal" ends 0 4 "" named "$in_file" HEAPSMITH_STATS_SIGNAL=USR1
expect "on stderr" ends 0 4 "" named HEAPSMITH_STATS=1 HEAPSMITH_STATS_SIGNAL=USR1
expect "a named signal that ends processes" ends 143 1 default plain "$in_file" \
  HEAPSMITH_STATS_SIGNAL=TERM
expect "a named signal that the program handles" ends 0 2 handled handler "$in_file" \
  HEAPSMITH_STATS_SIGNAL=TERM
expect "of signal() in System V, too" ends 0 3 "" "system v" "$in_file" HEAPSMITH_STATS_SIGNAL=USR1
# The kernel has put the default action in its place.
expect "a handler that is called once" ends 143 0 default once "$in_file"
expect "of a named signal" ends 143 1 default once "$in_file" HEAPSMITH_STATS_SIGNAL=TERM
expect "until the program asks for the default action" ends 143 1 default "once more" "$in_file"
expect "without settings, nothing" ends 0 0 handled handler

for run in 1 2 3 4 5 6 7 8; do
  rm -f file out
  env LD_PRELOAD="$preload" "$in_file" "$program" busy >out &
  process=$!
  while [[ ! -s out ]]; do sleep 0.01; done
  sleep 0.0$run
  kill "$process"
  wait "$process" 2>/dev/null
  status=$?
  expect "within the heap, run $run" test "$status.$(grep -c 'peak held' file)" = 143.1
done
all_held
