#!/usr/bin/env bash
# BIND's named-compilezone, which allocates with mallocx and resizes with rallocx and sallocx.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  cat >zone <<'END'
$TTL 3600
@ IN SOA ns root 1 3600 900 604800 300
@ IN NS ns
ns IN A 10.0.0.1
$GENERATE 1-20000 host$ A 10.1.0.1
$GENERATE 1-2000 text$ TXT "a string of some length, number $"
END
  named-compilezone -q -o text example.org zone
  named-compilezone -q -F raw -o raw example.org zone
  named-compilezone -q -f raw -o again example.org raw
  cmp text again
  wc -l <text
  rm raw  # it has the time in it
}

same_run named-compilezone

# Nearly all of its memory comes from mallocx: our heap held it.
cd "$scratch/preload/files"
LD_PRELOAD=$preload HEAPSMITH_STATS=json HEAPSMITH_STATS_FILE=$scratch/statistics \
  named-compilezone -q -o again example.org zone
peak=$(grep -oP '"peak_bytes":\K[0-9]+' "$scratch/statistics")
((peak > 4000000)) || fail "the heap held $peak bytes only: mallocx is another allocator's"
pass "22000 names in text and raw form"
