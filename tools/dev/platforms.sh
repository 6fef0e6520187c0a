# Compiles for every supported compiler and platform, and runs the tests of each, whole.
# help: every supported compiler, each header alone; musl, aarch64, bare processors, Rust's targets, Windows
# wants: tests/platforms
# shellcheck shell=bash
source tools/dev/build.sh
source tools/dev/check.sh
source tools/dev/parts.sh

# These are parts; their programs count.
counted_by_itself() {
  counted_by '^\K\d+(?= passed)' '(^|passed, )\K\d+(?= failed)' polite "$@"
}
compilers() { counted_by_itself tests/platforms/compilers.sh "$@"; }
over_musl() { counted_by_itself tests/platforms/musl.sh; }
aarch64() { counted_by_itself tests/platforms/aarch64.sh "$@"; }
freestanding() { counted_by_itself tests/freestanding/run.sh; }
rust_targets() { counted_by_itself tests/platforms/rust.sh "$@"; }
windows() { counted_by_itself tests/platforms/windows.sh "$@"; }

verb_platforms() {
  setup test check compilers newest musl aarch64 freestanding windows
  build_everything || die 1 "the build failed"
  open_results
  part "tidy, every path" counted_as_one tidy
  part "compilers" compilers --whole
  part "musl" over_musl
  part "aarch64" aarch64 --whole
  part "freestanding" freestanding
  part "rust targets" rust_targets --whole
  part "windows" windows --whole
  close_results
}
