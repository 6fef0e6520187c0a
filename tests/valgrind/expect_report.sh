#!/usr/bin/env bash
# Runs a program under valgrind, which must report a line, or nothing.
# Arguments: the line or "nothing", valgrind, the library to preload, the program and its arguments.
set -uo pipefail
line=$1 valgrind=$2 library=$3
shift 3
said=$(LD_PRELOAD=$library "$valgrind" -q --error-exitcode=9 "$@" 2>&1)
status=$?
case $line in
  nothing) ((status == 0)) && [[ -z $said ]] && exit 0 ;;
  *) ((status == 9)) && [[ $said == *"$line"* ]] && exit 0 ;;
esac
echo "expected: $line; status $status"
echo "$said"
exit 1
