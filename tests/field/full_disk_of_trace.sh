#!/usr/bin/env bash
# A disk is full when a recording is packed, or the page of a measurement written.
# report: none
# right: the recording is kept, the line says how to pack it elsewhere, and that works; rows stay
# fails: not measured
# under: recorder
# skip_plain: only heapsmith records
# shellcheck shell=sh disable=SC2016
export TMPDIR="$PWD"
[ -c /dev/full ] || exit 77
elsewhere() { # the command between backticks of `told`, with the name of a file in place of FILE
  command=$(sed -n 's/.*`heapsmith \(.*\) FILE`.*/\1/p' told)
  # shellcheck disable=SC2086  # words of a command
  "$HEAPSMITH" $command "$1" 2>again || { cat told again; exit 1; }
}
"$HEAPSMITH" record -o /dev/full -- ls / >listed 2>told
[ $? = 3 ] || { cat told; exit 1; }
elsewhere device.trace && "$HEAPSMITH" info device.trace >shown || exit 1
(exec "$HEAPSMITH" record -o cut.trace -- sh -c 'ls -R /usr/include >listed; kill -9 $PPID') 2>killed
(ulimit -f 1 && exec "$HEAPSMITH" pack cut.trace.raw) 2>told
[ $? = 3 ] || { cat told; exit 1; }
if [ -e cut.trace ]; then echo "half of a trace"; exit 1; fi
elsewhere whole.trace && "$HEAPSMITH" info whole.trace >shown || exit 1
if head -n 1 shown | grep -q incomplete; then cat shown; exit 1; fi
"$HEAPSMITH" try --rounds 6 --alloc as-built --report /dev/full -- ls >shown 2>told
[ $? = 3 ] || { cat told; exit 1; }
grep -q 'wall time' shown || { cat shown; exit 1; }
elsewhere page.html >shown || exit 1
echo ok
