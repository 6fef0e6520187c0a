# Builds, then runs one suite of the laboratory.
# help: SUITE [ARGUMENTS]: heap | instructions, against every contender
# shellcheck shell=bash
source tools/dev/build.sh

verb_bench() {
  setup lab
  build_everything || die 1 "the build failed"
  exec build/release/heapsmith bench "$@"
}
