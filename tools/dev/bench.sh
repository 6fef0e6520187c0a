# Builds, then runs one suite of the laboratory.
# help: SUITE [ARGUMENTS]: heap | instructions | region, against every contender
# shellcheck shell=bash
source tools/dev/build.sh

verb_bench() {
  setup lab
  build_everything || die 1 "the build failed"
  if [[ " $* " == *" region "* ]]; then
    say "the contenders"
    build_preset release bench/region/all || die 1 "the build failed"
  fi
  exec build/release/heapsmith bench "$@"
}
