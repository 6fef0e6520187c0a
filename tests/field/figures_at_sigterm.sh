#!/usr/bin/env bash
# A service that a supervisor ends by SIGTERM leaves its statistics in the file that it was told.
# report: none
# right: the figures are written, and the service dies of SIGTERM as before
# fails: not measured
# under: preload
set -euo pipefail
HEAPSMITH_STATS_FILE=$PWD/figures LD_PRELOAD=$PRELOAD sleep 60 &
service=$!
while [[ $(tr '\0' ' ' </proc/$service/cmdline) != "sleep 60 " || ! -e figures ]]; do sleep 0.05; done
sleep 0.2
kill $service
status=0
wait $service || status=$?
[[ $status == 143 ]] || { echo "status $status" && exit 1; }
grep -q 'statistics of sleep' figures
