# Runs the stress programs for long and fails when one errs or memory keeps growing.
# help: MINUTES: the stress programs in rotation; fails when RSS grows after warm-up
# wants: tests/stress/run_soak
# shellcheck shell=bash
source tools/dev/build.sh

verb_soak() {
  setup test lab
  configure release || die 1 "the configuration failed"
  polite ninja -C build/release || die 1 "the build failed"
  exec tests/stress/run_soak "${1:?minutes, for example 30}" build/release
}
