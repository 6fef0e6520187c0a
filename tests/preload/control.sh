#!/usr/bin/env bash
# Negative control of this folder: "control.sh BROKEN WITNESS" is glad when the others complain.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

# expect_failure REASON COMMAND…: the test ends with 1 and its one line gives that reason.
expect_failure() {
  local reason=$1 status=0 said
  shift
  said=$("$@" 2>&1) || status=$?
  [[ $status == 1 && $said == FAIL*$reason* ]] ||
    fail "expected a complaint about \"$reason\", got status $status: ${said:-nothing}"
}

here=$(dirname "$(realpath "$0")")
for broken in perl lua5.4 sqlite3; do
  expect_failure "differs from glibc's" "$here/$broken.sh" "$preload" "$witness"
done
expect_failure "took its malloc from" "$here/perl.sh" "$witness" "$witness"
expect_failure "cannot be preloaded" "$here/perl.sh" /nonexistent/preload.so "$witness"

# A job whose output varies, and one that says nothing.
cat >"$scratch/varies.sh" <<END
source "$here/common.sh"
job() { echo \$RANDOM \$BASHPID | cat; }
same_run cat
END
expect_failure "stdout differs" bash "$scratch/varies.sh" "$preload" "$witness"
sed 's/echo.*/true; }/' "$scratch/varies.sh" >"$scratch/silent.sh"
expect_failure "prints nothing" bash "$scratch/silent.sh" "$preload" "$witness"
sed 's/echo.*/echo x; }/' "$scratch/varies.sh" >"$scratch/alone.sh"
expect_failure "no process" bash "$scratch/alone.sh" "$preload" "$witness"
sed 's/echo.*/echo x | cat; false; true; }/' "$scratch/varies.sh" >"$scratch/failing.sh"
expect_failure "fails under glibc itself" bash "$scratch/failing.sh" "$preload" "$witness"
verdict=PASS
echo "PASS  $program: a wrong, an absent and a useless preload, a bad job are found"
