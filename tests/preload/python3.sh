#!/usr/bin/env bash
# Python's own tests, with every object a malloc block. Each test case must have the same result.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

# Modules that allocate in many ways, in threads and across fork, and end within seconds.
modules=(array bytes contextlib copy ctypes dict gc generators heapq itertools json list
  marshal memoryio memoryview mmap re set struct thread threading_local tuple zlib)

job() {
  export PYTHONMALLOC=malloc PYTHONHASHSEED=1
  local status=0
  timeout 280 /usr/bin/python3 -m test --junit-xml cases.xml --timeout 200 \
    "${modules[@]/#/test_}" >log 2>&1 || status=$?
  # Times may differ, but names and outcomes may not.
  /usr/bin/python3 "$cases/outcomes.py" cases.xml
  if ((status != 0)); then grep -E 'failed|FAIL|ERROR|Fatal|crashed|rror:' log | head -20 >&2; fi
  rm -f cases.xml log
  return "$status"
}

same_run python3
pass "$(wc -l <"$scratch/preload/stdout") test cases of ${#modules[@]} modules"
