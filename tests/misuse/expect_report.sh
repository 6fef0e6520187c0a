#!/usr/bin/env bash
# Runs a misuse program under AddressSanitizer, which must end it with the report that the first
# argument names.
set -uo pipefail
report=$1
shift
ulimit -c 0
text=$(ASAN_OPTIONS="${ASAN_OPTIONS:-}:abort_on_error=0:exitcode=99" "$@" 2>&1)
status=$?
if ((status == 99)) && [[ $text == *"AddressSanitizer: $report"* ]]; then exit 0; fi
echo "status: $status, expected 99 and a report of $report"
echo "$text"
exit 1
