# Runs the stress programs for a long time. Fails if one reports an error or memory keeps growing.
# help: MINUTES: run the stress programs in rotation; fails if RSS grows after warm-up
# wants: tests/stress/run_soak
# shellcheck shell=bash
source tools/dev/build.sh

verb_soak() {
  setup test lab
  configure release || die 1 "the configuration failed"
  polite ninja -C build/release || die 1 "the build failed"
  exec tests/stress/run_soak "${1:?minutes, for example 30}" build/release
}
