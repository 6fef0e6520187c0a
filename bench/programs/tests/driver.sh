#!/usr/bin/env bash
# A driver's program gives the check value of checks.txt, without a preload and with one, runs on
# that preload, and leaves nothing behind.   driver.sh DRIVER PRELOAD WITNESS
set -euo pipefail

driver=$1 preload=$2 witness=$3
name=$(basename "$driver" .sh)
fail() { echo "$name: $*" >&2; exit 1; }

line=$(awk -v name="$name" '$1 == name' "$(dirname "$0")/checks.txt")
[[ -n $line ]] || fail "is not in checks.txt"
read -r _ golden command process version <<<"$line"
if [[ ! -e $command ]] && ! command -v "$command" >/dev/null; then
  echo "$name: skipped: there is no $command"
  exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp"
export TMPDIR=$scratch/tmp WITNESS_FILE=$scratch/witnessed

bare=$("$driver" --quick) || fail "ends with $?"
[[ $bare =~ ^check\ [0-9a-f]{16}$ ]] || fail "prints '$bare' instead of a check line"
under=$(LD_PRELOAD=$witness:$preload "$driver" --quick) || fail "ends with $? under the preload"
[[ $under == "$bare" ]] || fail "$under under the preload, $bare without"

# Some programs print something else in each version.
if [[ -z $version || $("$command" --version 2>&1) == *"$version"* ]]; then
  [[ $bare == "check $golden" ]] || fail "$bare instead of $golden"
else
  echo "$name: $command is not version $version: its check value is not compared"
fi

grep -qF "$preload"$'\t'"$process" "$WITNESS_FILE" || fail "$process did not run on $preload"
if grep -vF "$preload"$'\t' "$WITNESS_FILE"; then fail "the processes above took another malloc"; fi
helpers=$'\t'"(mkdir|rm|sha256sum|cp|cat|tail|mkfifo|find|sort|xargs)\$"
if grep -E "$helpers" "$WITNESS_FILE"; then fail "the helpers above ran under the preload"; fi
[[ -z $(ls -A "$TMPDIR") ]] || fail "leaves files behind: $(ls -A "$TMPDIR")"
