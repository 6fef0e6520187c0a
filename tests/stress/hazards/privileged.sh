#!/usr/bin/env bash
# A setuid program does not listen to the environment. Argument: the program `privileged`, which has
# the heap linked in.
set -uo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$program" "$work/privileged"
run() {
  env HEAPSMITH_LIMIT_BYTES="${2-1M}" HEAPSMITH_STATS=1 HEAPSMITH_STATS_FILE="$work/$1" \
    "$work/privileged"
}

ordinary=$(run ordinary.txt)
if [[ $ordinary != "ordinary limited" || ! -s $work/ordinary.txt ]]; then
  echo "FAILED: an ordinary run says \"$ordinary\" or writes no statistics"
  exit 1
fi
# Root runs it as somebody else; another user needs a second group for the set-group-id bit.
if ((EUID == 0)); then
  chmod 777 "$work"
  chown 65534 "$work/privileged"
  chmod 4755 "$work/privileged"
else
  for group in $(id -G); do
    [[ $group != $(id -g) ]] || continue
    chgrp "$group" "$work/privileged" && chmod 2755 "$work/privileged" && break
  done
fi
privileged=$(run privileged.txt)
if [[ $privileged == ordinary* ]]; then
  echo "skipped: no privileged program can be made here (nosuid, or no second group)"
  exit 77
fi
if [[ $privileged != "privileged free" || -e $work/privileged.txt ]]; then
  echo "FAILED: a privileged run says \"$privileged\" or writes statistics"
  exit 1
fi
said=$(run privileged.txt 12Q 2>&1)
if [[ $said != "privileged free" ]]; then
  echo "FAILED: a malformed variable makes a privileged run say \"$said\""
  exit 1
fi
