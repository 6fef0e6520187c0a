# Builds, then runs one suite of benchmarks, the search for cliffs, or checks of the lab.
# help: [SUITE | accuracy | advice | recorder | settings | cliffs [families] | footprint] [ARGUMENTS]: run a benchmark suite; without one, list them
# shellcheck shell=bash
source tools/dev/build.sh

runner=build/release/heapsmith-bench

# search_cliffs ARGUMENTS…: bench/cliffs/README.md describes it.
search_cliffs() {
  { build_page && build_crate heapsmith-cliffs heapsmith-cliffs &&
    build_preset release src/all lab-build/all; } >&2 || die 1 "the build failed"
  exec build/release/heapsmith-cliffs "$@"
}

# search_families ARGUMENTS…: bench/growth/README.md describes it.
search_families() {
  build_preset release bench-growth-search >&2 || die 1 "the build failed"
  exec build/release/bench/growth-search "$@"
}

# check_replays ARGUMENTS…: bench/accuracy/README.md describes it.
check_replays() {
  setup programs
  { build_page && build_command && build_crate heapsmith-accuracy heapsmith-accuracy &&
    build_preset release src/all lab-build/all bench-programs; } >&2 || die 1 "the build failed"
  exec build/release/heapsmith-accuracy "$@"
}

# check_advice ARGUMENTS…: bench/advice/README.md describes it.
check_advice() {
  if [[ " $* " == *" --programs "* ]]; then
    source bench/advice/programs/build.sh
    { mkdir -p build/advised && build_programs; } >&2 || die 1 "a real program failed to build"
  fi
  { build_page && build_command && build_crate heapsmith-advice-bench heapsmith-advice-bench &&
    build_preset release src/all lab-build/all; } >&2 || die 1 "the build failed"
  exec build/release/heapsmith-advice-bench "$@"
}

# measure_recorder ARGUMENTS…: bench/recorder/README.md describes it.
measure_recorder() {
  setup programs
  { build_crate heapsmith-recorder-bench heapsmith-recorder-bench &&
    build_preset release src/all lab-build/all bench-programs; } >&2 || die 1 "the build failed"
  exec build/release/heapsmith-recorder-bench "$@"
}

# measure_settings ARGUMENTS…: bench/settings/README.md describes it.
measure_settings() {
  { build_page && build_command && build_preset release src/all lab-build/all; } >&2 ||
    die 1 "the build failed"
  exec bench/settings/run build/release "$@"
}

verb_bench() {
  # Sizes are no measurement: they need no runner, and are the same on every machine.
  if [[ ${1:-} == footprint ]]; then
    setup freestanding
    exec bench/footprint/footprint.sh
  fi
  # A suite may have packages of its own.
  setup lab "${1:-}"
  if [[ "${1:-} ${2:-}" == "cliffs families" ]]; then search_families "${@:3}"; fi
  if [[ ${1:-} == accuracy ]]; then check_replays "${@:2}"; fi
  if [[ ${1:-} == advice ]]; then check_advice "${@:2}"; fi
  if [[ ${1:-} == settings ]]; then measure_settings "${@:2}"; fi
  if [[ ${1:-} == recorder ]]; then measure_recorder "${@:2}"; fi
  if [[ ${1:-} == cliffs ]]; then search_cliffs "${@:2}"; fi
  { build_page && build_crate heapsmith-bench heapsmith-bench; } >&2 || die 1 "the build failed"
  local word list targets=()
  for word in "$@"; do
    case $word in -h | --help | -V | --version | --list) exec "$runner" "$@" ;; esac
  done
  # The manifest of the suite says what it needs; without a suite there is nothing to build.
  list=$("$runner" --print-targets "$@") || exit
  if [[ -n $list ]]; then
    mapfile -t targets <<<"$list"
    say "the libraries and the programs of the suite"
    build_preset release src/all lab-build/all "${targets[@]}" || die 1 "the build failed"
  fi
  exec "$runner" "$@"
}
