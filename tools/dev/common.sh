# Shared by every verb of ./dev: messages, stamps, the paths of built files.
# shellcheck shell=bash

export CARGO_TARGET_DIR=$PWD/build/cargo
# CMake reads these when it configures a preset for the first time.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Every clone of the repository shares the cache.
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
assume_yes=
if [[ ${CI:-} == true ]]; then assume_yes=1; fi

say() { printf '\e[1m== %s\e[0m\n' "$*" | uncoloured >&2; }
die() { local code=$1; shift; echo "./dev: $*" >&2; exit "$code"; }

# Removes colours if stderr is not a terminal.
uncoloured() { if [[ -t 2 && -z ${NO_COLOR:-} ]]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

# digest PATHS…: prints one hash of the names and contents of all files below the paths.
digest() {
  find "$@" -type d \( -name node_modules -o -name dist \) -prune -o -type f -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

# unless_done NAME DIGEST COMMAND…: runs the command unless it succeeded for the same digest.
unless_done() {
  local stamp=build/stamps/$1 digest=$2
  shift 2
  if [[ -f $stamp && $(<"$stamp") == "$digest" ]]; then return; fi
  "$@" || return
  mkdir -p build/stamps
  echo "$digest" >"$stamp"
}

# polite COMMAND…: runs a build at low priority.
polite() { nice -n 5 "$@"; }

jobs() { nproc; }
