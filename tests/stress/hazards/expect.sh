# Named expectations for the scripts of this folder.
# shellcheck shell=bash
failures=0

# expect WHAT COMMAND…: says whether the command succeeded, and goes on.
expect() {
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; return; fi
  echo "FAILED: $what"
  failures=$((failures + 1))
}

# The exit status of the script: whether everything expected was so.
all_held() { ((failures == 0)); }
