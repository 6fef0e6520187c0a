#!/usr/bin/env bash
# Runs the installed heapsmith command as an ordinary user. It must find its launcher, its probe and
# the preload in the installed tree, wherever that is. Argument: the installed prefix.
set -euo pipefail
[[ -x $1/bin/heapsmith ]] || { echo "skipped: the command has not been built"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -a "$1" "$scratch/moved"
mkdir "$scratch/home"
user=()
if ((EUID == 0)); then
  chown -R nobody "$scratch"
  user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --)
fi
heapsmith() {
  (cd "$scratch/home" && env -i HOME="$scratch/home" PATH=/usr/bin:/bin LANG=C.UTF-8 "${user[@]}" \
    "$scratch/moved/bin/heapsmith" "$@")
}

heapsmith doctor | tee "$scratch/said"
grep -q "moved/.*libheapsmith_preload.so" "$scratch/said"
grep -q "source tree is needed for" "$scratch/said"
heapsmith try --rounds 6 --alloc glibc,heapsmith -- ls -R /usr/include/linux >"$scratch/said" 2>&1 ||
  { cat "$scratch/said" && exit 1; }
grep -q heapsmith "$scratch/said"
test -s "$scratch/home/heapsmith-report.html"
heapsmith record -o ls.trace -- ls / >"$scratch/said" 2>&1 || { cat "$scratch/said" && exit 1; }
heapsmith replay --rounds 6 --alloc heapsmith ls.trace >"$scratch/said" 2>&1 ||
  { cat "$scratch/said" && exit 1; }
echo "ok: doctor, try, record and replay work in an installed tree"
