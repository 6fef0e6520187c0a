# Runs check and the tests, even if one fails, and prints the time of each part.
# help: check but clang-tidy, and every kind of test; --whole runs all; ends with "N passed, N failed"
# shellcheck shell=bash
source tools/dev/build.sh
source tools/dev/abi.sh
source tools/dev/check.sh
source tools/dev/docs.sh
source tools/dev/package.sh
source tools/dev/platforms.sh

cargo_test() {
  counted_by '^test result:.* \K\d+(?= passed)' '^test result:.* \K\d+(?= failed)' \
    polite cargo test --no-fail-fast --locked --quiet "$@"
}

# The crate for targets without a heap: buffers only.
rust_without_alloc() {
  RUSTFLAGS="-D warnings" polite cargo check --quiet --locked --package heapsmith \
    --no-default-features --target-dir build/cargo-core
}

# Collections of std itself. The variable lets a stable compiler take `#![feature]`.
rust_allocator_api() {
  RUSTC_BOOTSTRAP=1 cargo_test --package heapsmith --no-default-features --test collections \
    --features std,nightly,allocator-api2-02,allocator-api2-03,allocator-api2-04 \
    --target-dir build/cargo-core
}

# The crates as users get them: packed without the rest of the repository. Then a program is built
# with the packed crates.
packed_crates() {
  local at=build/packed-crates crate name packages=() sources=() packed=()
  rm -rf "$at" "$CARGO_TARGET_DIR/package" && mkdir -p "$at" || return
  for crate in $(grep -L '^publish = false' rust/*/Cargo.toml | xargs -n 1 dirname); do
    name=$(basename "$crate")
    packages+=(--package "$name")
    sources+=(--config "patch.crates-io.$name.path='$PWD/$crate'")
    packed+=(--config "patch.crates-io.$name.path='$PWD/$at/$name'")
  done
  polite cargo package --locked --allow-dirty --no-verify "${packages[@]}" "${sources[@]}" \
    >"$at/log" 2>&1 || { cat "$at/log" >&2 && return 1; }
  # The patches above are not for every crate.
  if grep '^warning' "$at/log" | grep -v 'was not used in the crate graph' >&2; then return 1; fi
  for crate in "$CARGO_TARGET_DIR"/package/*.crate; do tar -xzf "$crate" -C "$at" || return; done
  for crate in "$at"/*/; do crate=${crate%/} && mv "$crate" "${crate%-*}" || return; done
  cp -r tests/consume/crate "$at/user" && cp Cargo.lock "$at/user" || return
  local begin=$SECONDS feature
  for feature in heap region; do
    polite cargo run --quiet --offline --target-dir "$at/built" --no-default-features \
      --features "$feature" --bin "$feature" --manifest-path "$at/user/Cargo.toml" "${packed[@]}" ||
      return
    echo "a program with the feature $feature was built from the packed crates, and ran, in" \
      "$((SECONDS - begin)) seconds" >&2
    begin=$SECONDS
  done
  packed_by_other_compilers
}

# The program and a plug-in of the packed crates, by the oldest compilers and the newest Clang. The
# core is not optimised, to save time.
packed_by_other_compilers() {
  local compiler
  for compiler in g++-11 clang++-14 clang++-19; do
    CXX=$compiler CXXFLAGS=-O0 polite cargo run --quiet --offline --target-dir "$at/built" \
      --bin heap --manifest-path "$at/user/Cargo.toml" "${packed[@]}" || return
  done
  cp -r tests/consume/plugin_crate "$at/plugin" && cp Cargo.lock "$at/plugin" || return
  polite cargo build --quiet --offline --target-dir "$at/built" \
    --manifest-path "$at/plugin/Cargo.toml" "${packed[@]}" || return
  python3 tests/consume/plugin_crate/load.py "$at/built/debug/libuses_heapsmith_often.so" >&2 || return
  # Without a compiler there is one line that says what to do.
  if CXX=no-such-c++ cargo build --quiet --offline --target-dir "$at/none" \
    --manifest-path "$at/user/Cargo.toml" "${packed[@]}" >"$at/none.log" 2>&1; then return 1; fi
  grep -q '^error: heapsmith-sys.*no-such-c++ was not found: install' "$at/none.log"
}

# The optimised library, the examples of its headers, and a program under it, all built by Clang.
by_clang() {
  build_preset clang src/all tests/headers/all || return
  build/clang/tests/headers/header_examples --gtest_brief=1 >&2 || return
  [[ $(LD_PRELOAD=build/clang/libheapsmith_preload.so perl -e 'print join ",", map { $_ x 3 } 1 .. 4') \
    == 111,222,333,444 ]]
}

# Every fuzzer through its verb, just long enough to see that it builds and runs.
fuzz_shortly() {
  local target
  for target in heap region small_region shared offset pool; do ./dev fuzz "$target" 2 >&2 || return; done
}

# The Debian packages: what they contain, that they can be used, and that their removal is complete.
debian_packages() {
  make_packages && tests/consume/debian.sh "$package_folder" . >&2
}

page_tests() {
  if ! install_page_modules; then failed=1; return; fi
  counted_by '^(?:#|ℹ) pass \K\d+' '^(?:#|ℹ) fail \K\d+' npm --prefix lab/page run --silent test
}

# The pages of the documentation, in a browser.
site_tests() {
  if ! build_site; then failed=1; return; fi
  counted_by '^(?:#|ℹ) pass \K\d+' '^(?:#|ℹ) fail \K\d+' npm --prefix docs/site run --silent test
}

# tests_of PRESET LABELS TARGETS…: builds the targets, and runs what was built but the tests with the
# labels.
tests_of() {
  if ! build_preset "$1" src/all "${@:3}"; then failed=1 && return; fi
  run_ctest "$1" -LE "^($2)$" -E '^bench-|_NOT_BUILT$'
}

# Programs as users have them. Of the contract, the resources that cannot be short of memory under ASan.
release_tests() {
  tests_of release 'fuzz|glibc|programs|bench|whole' {lab-build,examples}/all contract \
    tests/{misuse,stress,fault,preload,field,sandbox,dialects,debuggers,glibc,valgrind}/all
}

# All units, with every check.
asan_tests() {
  ASAN_OPTIONS=allow_addr2line=1 tests_of asan 'stress|examples' \
    {tests/unit,tests/contract,tests/headers,tests/misuse,tests/fault,fuzz}/all
}

# command_tests ARGUMENTS…: more arguments of the test programs. A test measures the suite
# `instructions`.
command_tests() {
  if ! build_preset release bench-instructions; then failed=1; return; fi
  cargo_test --profile "$program_profile" --package heapsmith-cli \
    --package heapsmith-measure --package heapsmith-trace --package heapsmith-device \
    --package heapsmith-bench --package heapsmith-cliffs --package heapsmith-accuracy \
    --package heapsmith-recorder-bench \
    -- "$@"
}

crate_tests() {
  cargo_test --package heapsmith --package heapsmith-sys --package heapsmith-compile-fail --all-features
}

# under_sanitizer PRESET: reports name functions by addr2line, which binutils has.
under_sanitizer() { ASAN_OPTIONS=allow_addr2line=1 counted_by_ctest "$1"; }

# Every kind of test once, in the build that shows the most.
shortly() {
  setup check test docs lab programs fuzz
  open_results
  run_checks "${quick_checks[@]}"
  part "build" counted_as_one build_everything
  part "library, release" release_tests
  part "ASan and UBSan" asan_tests
  part "glibc's own tests" run_ctest release -L '^glibc$'
  part "programs under preload" counted_by_targets release '^programs$' bench-programs
  part "command" command_tests
  beside "models" counted_by_targets assertions '^(model|compile_fail)$' tests/model/all
  part "crate" crate_tests
  joined
  part "ABI" counted_as_one compare_abi
  part "rules of the build" counted_as_one tools/count_rules
  part "page" page_tests
  part "site" site_tests
  close_results
}

# Every test, with every compiler and on every platform.
wholly() {
  setup check test docs lab programs fuzz compilers musl aarch64 freestanding windows package
  open_results
  run_checks "${quick_checks[@]}" tidy
  part "build" counted_as_one build_everything
  part "benchmarks" counted_as_one build_preset release bench-build/all
  part "library, release" counted_by_ctest release -LE '^(glibc|programs)$'
  part "library, assertions" counted_by_ctest assertions -LE '^(glibc|programs|consume)$'
  part "ASan and UBSan" under_sanitizer asan
  part "TSan" under_sanitizer tsan
  part "by clang" counted_as_one by_clang
  part "compilers" compilers
  part "musl" over_musl
  part "aarch64" aarch64
  part "freestanding" freestanding
  beside "crates as packed" counted_as_one packed_crates
  part "rust targets" rust_targets
  part "windows" windows
  joined
  part "fuzzers" counted_as_one fuzz_shortly
  part "glibc's own tests" counted_by_ctest release -L '^glibc$'
  part "programs under preload" counted_by_ctest release -L '^programs$'
  part "command" command_tests --include-ignored
  part "crate" crate_tests
  part "crate without alloc" counted_as_one rust_without_alloc
  part "crate with std's trait" rust_allocator_api
  part "ABI" counted_as_one compare_abi
  part "rules of the build" counted_as_one tools/count_rules
  part "Debian packages" counted_as_one debian_packages
  part "release" counted_as_one tests/consume/release.sh .
  part "page" page_tests
  part "site" site_tests
  close_results
}

verb_test() {
  # One build of the command serves its packages and its tests. `./dev release` packs, and tries, the
  # one that is optimised as a whole.
  local program_profile=checked
  case $* in
    '') shortly ;;
    --whole) wholly ;;
    *) die 2 "usage: ./dev test [--whole]" ;;
  esac
}
