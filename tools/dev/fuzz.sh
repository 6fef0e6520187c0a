# Fuzzes the C API against a model with libFuzzer. Findings stay in build/fuzz/findings.
# help: [heap|region|small_region|shared|offset] [SECONDS]: random steps against a model, under ASan and UBSan
# wants: fuzz/run
# shellcheck shell=bash

verb_fuzz() {
  setup fuzz
  exec fuzz/run "$@"
}
