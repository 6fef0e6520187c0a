#!/usr/bin/env bash
# Negative control of this folder: "control.sh BROKEN WITNESS" passes if the other tests fail.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

# expect_failure REASON COMMAND…: the command must exit with 1 and name that reason in its line.
expect_failure() {
  local reason=$1 status=0 said
  shift
  said=$("$@" 2>&1) || status=$?
  [[ $status == 1 && $said == FAIL*$reason* ]] ||
    fail "expected the failure \"$reason\", got status $status: ${said:-nothing}"
}

here=$(dirname "$(realpath "$0")")
for broken in perl lua5.4 sqlite3; do
  expect_failure "differs from glibc's" "$here/$broken.sh" "$preload" "$witness"
done
expect_failure "took its malloc from" "$here/perl.sh" "$witness" "$witness"
expect_failure "cannot be preloaded" "$here/perl.sh" /nonexistent/preload.so "$witness"

# A job whose output varies, and a job that prints nothing.
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
echo "PASS  $program: detects a faulty, a missing and a useless preload, and a bad job"
