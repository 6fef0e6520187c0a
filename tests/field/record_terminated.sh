#!/usr/bin/env bash
# A service manager ends a recorded program with SIGTERM or SIGHUP sent to `heapsmith record`.
# report: none
# right: the program gets the signal, its recording is packed and told, and the exit code is 128 + n
# fails: not measured
# under: recorder
# skip_plain: only heapsmith records
# shellcheck shell=sh
for signal in TERM:143 HUP:129; do
  rm -f ready
  "$HEAPSMITH" record -f -o t.trace -- sh -c 'ls >listed; echo x >ready; exec sleep 60' 2>told &
  recording=$!
  while ! [ -s ready ]; do sleep 0.05; done
  kill -s "${signal%:*}" "$recording"
  wait "$recording"
  code=$?
  if [ "$code" != "${signal#*:}" ]; then echo "$signal: exit code $code"; cat told; exit 1; fi
  grep -q 'events in t.trace' told || { cat told; exit 1; }
  "$HEAPSMITH" info t.trace >shown || exit 1
  if [ -e t.trace.raw ]; then echo "raw files are left"; exit 1; fi
done
echo ok
