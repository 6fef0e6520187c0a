#!/usr/bin/env bash
# Runs a case of this folder: run.sh plain|preload|override|recorder|script PROGRAM
# A program that is right prints "ok" as its last line and exits with 0.
set -euo pipefail
mode=$1 program=$2
unset LD_PRELOAD
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-field.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

case $mode in
  plain | override) command=("$program") ;;
  preload) command=(env "LD_PRELOAD=$PRELOAD" "$program") ;;
  recorder)
    # The command is made by ./dev build, with cargo.
    if [[ ! -x $HEAPSMITH ]]; then echo "no $HEAPSMITH"; exit 77; fi
    command=("$HEAPSMITH" record -o case.trace -- "$program")
    ;;
  script) command=("$program") ;;
  *) echo "usage: run.sh plain|preload|override|recorder|script PROGRAM" >&2; exit 2 ;;
esac

status=0
"${command[@]}" >stdout 2>stderr || status=$?
cat stdout stderr
if [[ $mode == script ]]; then exit "$status"; fi
if ((status != 0)); then echo "FAILED: status $status"; exit 1; fi
if [[ $mode == recorder ]]; then
  if ! grep -qx ok stdout; then echo "FAILED: no line \"ok\""; exit 1; fi
  if ! "$HEAPSMITH" info case.trace >about; then echo "FAILED: no trace"; exit 1; fi
elif [[ $(tail -n 1 stdout) != ok ]]; then
  echo "FAILED: the last line is not \"ok\""
  exit 1
fi
