# Checks the text of the repository without running the programs.
# help: formats, lints, layers, documentation; seconds to two minutes
# shellcheck shell=bash
source tools/dev/build.sh
source tools/dev/parts.sh

ours() { git ls-files --cached --others --exclude-standard -- "$@"; }

check_cpp_format() { ours '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format-19 -n -Werror --ferror-limit=1; }

# Slow, so it runs only if the sources have changed.
# The analyzer follows fewer paths of a function than it would: a function of many inlined ones takes
# it a minute. `./dev platforms` follows all.
check_tidy() {
  unless_done tidy "$(digest src include .clang-tidy)" \
    tidy --extra-arg={-Xclang,-analyzer-config,-Xclang,max-nodes=20000}
}

# tidy ARGUMENTS…: more arguments of clang-tidy.
tidy() {
  configure dev || return
  # One file for each process: with several, the progress lines of processes would mix.
  # Windows' headers are not here.
  find src -name '*.cpp' -not -path 'src/os/windows/*' -print0 |
    nice -n 5 xargs -0 -n 1 -P "$(jobs)" clang-tidy-19 -p build/dev --quiet "$@" \
      >build/results/tidy.log 2>&1
  # Some lines only count suppressed warnings. A warning with a position decides.
  if grep -qE ': (warning|error|fatal error): ' build/results/tidy.log; then
    grep -vE '^[0-9]+ warnings? ' build/results/tidy.log
    return 1
  fi
}

check_rust_format() { cargo fmt --all --check; }
check_clippy() {
  # bench/rust/build explains why the crates' minimum Rust version is ignored.
  build_page && cargo clippy --profile checked --quiet --workspace --all-targets --locked --ignore-rust-version -- \
    -D warnings
}
check_rust_docs() {
  RUSTDOCFLAGS="-D warnings" cargo doc --profile checked --quiet --locked --no-deps --all-features \
    --package heapsmith --package heapsmith-sys --package heapsmith-derive || return
  # Those of fewer features are somebody's, too.
  RUSTDOCFLAGS="-D warnings" cargo doc --profile checked --quiet --locked --no-deps --package heapsmith \
    --no-default-features --features heap
}
check_page() { install_page_modules && npm --prefix lab/page run --silent lint; }
check_site() { install_site_modules && npm --prefix docs/site run --silent lint; }
check_shell() { ours dev '*.sh' .ci/run | xargs shellcheck -x; }
check_layers() { tools/check_layers; }
check_docs() { tools/check_docs; }
check_design() { tools/check_design; }
check_results() { tools/write_results --check; }
check_map() { tools/draw_map --check; }
check_field() { tools/write_field --check; }
check_words() { tools/check_words; }
check_english() { tools/check_english; }
check_headers() { tools/check_headers; }
check_removals() { tools/check_removals; }
check_rules() { tools/count_rules; }

quick_checks=(words english removals rules layers map docs design field results headers shell cpp_format
  rust_format rust_docs page site clippy)

# run_checks NAMES…: a part for each.
run_checks() {
  local name
  for name in "$@"; do part "check: $name" counted_as_one "check_$name"; done
}

verb_check() {
  setup check
  open_results
  run_checks "${quick_checks[@]}" tidy
  close_results
}
