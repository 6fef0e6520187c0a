# Builds, then runs one suite of the laboratory.
# help: SUITE [ARGUMENTS]: heap | region | arena | scope | pools | containers | …
# shellcheck shell=bash
source tools/dev/build.sh

verb_bench() {
  setup lab
  build_everything || die 1 "the build failed"
  local suite
  for suite in region arena scope pool_resource allocator pools containers rust; do
    [[ " $* " == *" $suite "* ]] || continue
    say "the contenders"
    local target=bench-$suite
    if [[ $suite == region ]]; then target=bench/region/all; fi
    if [[ $suite == rust ]]; then target=bench-rust-peers; fi
    build_preset release "$target" || die 1 "the build failed"
  done
  exec build/release/heapsmith bench "$@"
}
