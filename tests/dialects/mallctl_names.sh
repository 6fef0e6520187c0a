#!/usr/bin/env bash
# Compares mallctl with that of the jemalloc that the program is linked with, name by name.
# mallctl_names.txt has a name in each line, and how the answers must agree:
#   same  in all       type  in all but the value       none  here there is no such name
# mallctl_names.sh DIALECTS PROGRAM
set -euo pipefail
names=$(dirname "$(realpath "$0")")/mallctl_names.txt
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapsmith-mallctl.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
unset MALLOC_CONF

without_comments() { grep -v '^#' "$names"; }
without_comments | cut -d ' ' -f 1 | "$2" >"$scratch/theirs"
if ! grep -q '^version:.*"5\.3\.0' "$scratch/theirs"; then
  echo "skipped: jemalloc is not of version 5.3.0"
  exit 0
fi
without_comments | cut -d ' ' -f 1 | LD_PRELOAD=$1 "$2" >"$scratch/ours"
failures=0
while read -r name how && IFS= read -r theirs <&3 && IFS= read -r ours <&4; do
  case $how in
    type) theirs=${theirs/value */} ours=${ours/value */} ;;
    none) theirs="$name: error 2, odd write 2" ;;
  esac
  if [[ $theirs != "$ours" ]]; then
    failures=$((failures + 1))
    printf 'FAIL  jemalloc:  %s\n      heapsmith: %s\n' "$theirs" "$ours"
  fi
done < <(without_comments) 3<"$scratch/theirs" 4<"$scratch/ours"
((failures == 0)) || exit 1
echo "PASS  $(wc -l <"$scratch/ours") names answer as jemalloc's"
