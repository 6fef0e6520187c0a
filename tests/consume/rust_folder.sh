#!/usr/bin/env bash
# A copy of the folder rust, outside of the repository: it builds, or says in one line what is missing.
# Argument: the source tree.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARGO_TARGET_DIR=$scratch/target CARGO_NET_OFFLINE=true

# The links of the copy lead nowhere.
mkdir -p "$scratch/linked/app"
cp -r "$1/rust" "$scratch/linked/app/crates"
cp "$1/Cargo.lock" "$scratch/linked/app/crates/heapsmith-sys/"
if cargo build --quiet --manifest-path "$scratch/linked/app/crates/heapsmith-sys/Cargo.toml" \
  2>"$scratch/said"; then
  echo "FAILED: the crate was built without its C++ sources"
  exit 1
fi
grep '^error: .*the C++ sources are missing: .*cp -rL' "$scratch/said" ||
  { cat "$scratch/said" && exit 1; }

# The README's command follows them.
cp -rL "$1/rust" "$scratch/crates"
test -f "$scratch/crates/heapsmith-sys/core/src/adapt/c_api.cpp"
cp "$1/Cargo.lock" "$scratch/crates/heapsmith/"
cargo check --quiet --no-default-features --manifest-path "$scratch/crates/heapsmith/Cargo.toml"
echo "ok: the copy compiles"
