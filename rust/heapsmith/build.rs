//! Sets `allocator_api` if the feature `nightly` is enabled and the compiler has unstable features.
//! So `--all-features` works with any compiler.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_BOOTSTRAP");
    println!("cargo::rustc-check-cfg=cfg(allocator_api)");
    if env::var_os("CARGO_FEATURE_NIGHTLY").is_some() && has_unstable_features() {
        println!("cargo::rustc-cfg=allocator_api");
    }
}

fn has_unstable_features() -> bool {
    if env::var_os("RUSTC_BOOTSTRAP").is_some_and(|value| value == "1") {
        return true;
    }
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let about = Command::new(rustc).arg("--version").output().expect("the compiler runs");
    let version = String::from_utf8_lossy(&about.stdout);
    version.contains("-nightly") || version.contains("-dev")
}
