# Shared by the drivers of the suite `programs`. A driver is "NAME.sh [--quick]": it runs its program
# on fixed input and prints "check" and 16 digits of the SHA-256 of what the program printed.
# Only the program runs under the preload. The driver's own helpers do not: starting them would cost
# some allocators more than others.
# shellcheck shell=sh
set -eu
export LC_ALL=C TZ=UTC
unset CDPATH

here=${0%/*}
cases=$here/cases
case ${1-} in
  '') size=whole ;;
  --quick) size=quick ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac
input=$here/input/$size

aside() { LD_PRELOAD='' "$@"; }

scratch=${TMPDIR:-/tmp}/heapsmith-programs.$$
aside mkdir -m 700 "$scratch"
trap 'aside rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
printed=$scratch/printed

# by_size WHOLE QUICK: prints the word for this size.
by_size() { if [ "$size" = whole ]; then echo "$1"; else echo "$2"; fi; }

# check: prints the check line. The last command of a driver.
check() {
  [ -s "$printed" ] || { echo "$0: the program printed nothing" >&2; exit 1; }
  sum=$(aside sha256sum "$printed")
  printf 'check %.16s\n' "$sum"
}
