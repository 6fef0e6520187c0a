# Runs check and every test, all of them even when one fails, and says what each part cost.
# help: check and every test; ends with "N passed, N failed"
# shellcheck shell=bash
source tools/dev/build.sh
source tools/dev/check.sh

cargo_test() {
  counted_by '^test result:.* \K\d+(?= passed)' '^test result:.* \K\d+(?= failed)' \
    polite cargo test --locked --quiet "$@"
}

# As on a machine without a heap: buffers only.
rust_without_alloc() {
  RUSTFLAGS="-D warnings" polite cargo check --quiet --locked --package heapsmith \
    --no-default-features --target-dir build/cargo-core
}

page_tests() {
  if ! install_page_modules; then failed=1; return; fi
  counted_by '^(?:#|ℹ) pass \K\d+' '^(?:#|ℹ) fail \K\d+' npm --prefix report run --silent test
}

verb_test() {
  setup check test lab
  open_results
  run_checks
  part "build" counted_as_one build_everything
  part "library, release" counted_by_ctest release -LE '^(glibc|programs)$'
  part "library, dev" counted_by_ctest dev -LE '^(glibc|programs|consume)$'
  part "ASan and UBSan" counted_by_ctest asan
  part "TSan" counted_by_ctest tsan
  part "glibc's own tests" counted_by_ctest release -L '^glibc$'
  part "programs under preload" counted_by_ctest release -L '^programs$'
  part "command" cargo_test --release --package heapsmith-cli
  part "crate" cargo_test --package heapsmith --package heapsmith-sys \
    --package heapsmith-compile-fail --all-features
  part "crate without alloc" counted_as_one rust_without_alloc
  part "page" page_tests
  close_results
}
