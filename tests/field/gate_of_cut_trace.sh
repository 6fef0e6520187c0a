#!/usr/bin/env bash
# A build's check for growth compares with a trace that a full disk or a killed job has cut off.
# report: none
# right: the check fails with exit code 3, and its Markdown says that the trace is not whole
# fails: not measured
# under: recorder
# skip_plain: only heapsmith has such a check
# shellcheck shell=sh
"$HEAPSMITH" record -o old.trace -- ls / >listed 2>told || { cat told; exit 1; }
bytes=$(wc -c <old.trace)
"$HEAPSMITH" diff old.trace old.trace --fail-above 0% >shown || { cat shown; exit 1; }
for length in 0 6 20 $((bytes / 2)) $((bytes - 1)); do
  head -c "$length" old.trace >cut.trace
  for pair in "old.trace cut.trace" "cut.trace old.trace" "cut.trace cut.trace"; do
    # shellcheck disable=SC2086  # two words
    "$HEAPSMITH" diff $pair --fail-above 1000% --export-markdown a.md >shown 2>told
    code=$?
    if [ "$code" != 3 ]; then echo "$pair, $length bytes: exit code $code"; cat shown; exit 1; fi
    grep -q 'cut.trace' a.md || { echo "$pair, $length bytes"; cat a.md; exit 1; }
  done
done
first=$("$HEAPSMITH" info cut.trace | head -n 1)
case $first in incomplete:*) ;; *) echo "info: $first"; exit 1 ;; esac
first=$("$HEAPSMITH" report cut.trace | head -n 1)
case $first in "cut.trace is incomplete:"*) ;; *) echo "report: $first"; exit 1 ;; esac
echo ok
