# Fuzzes the C API against a model with libFuzzer. Findings stay in build/fuzz/findings.
# help: [heap|region|small_region|shared|offset|pool|trace] [SECONDS]: random steps against a model, under ASan and UBSan
# wants: tests/fuzz/run
# shellcheck shell=bash

verb_fuzz() {
  if [[ ${1:-} == trace ]]; then
    setup setup
    HEAPSMITH_FUZZ_SECONDS=${2:-600} exec cargo test --release --locked --quiet \
      --target-dir build/cargo --package heapsmith-trace --test fuzz -- --nocapture
  fi
  setup fuzz
  exec tests/fuzz/run "$@"
}
