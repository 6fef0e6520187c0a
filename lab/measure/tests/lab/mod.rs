//! The launcher, the probe and small programs that tests run, as `./dev build` makes them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PROGRAMS: [&str; 9] = [
    "launcher",
    "libprobe.so",
    "libheapsmith_recorder.so",
    "replayer",
    "libcontrol_plain.so",
    "libcontrol_slow.so",
    "libcontrol_leaky.so",
    "libcontrol_fresh.so",
    "one-malloc",
];

/// HEAPSMITH_LAB_DIR, or the lab of the release build.
pub fn lab() -> &'static Path {
    static LAB: OnceLock<PathBuf> = OnceLock::new();
    LAB.get_or_init(|| {
        let named = std::env::var_os("HEAPSMITH_LAB_DIR").map(PathBuf::from);
        let lab = named.unwrap_or_else(|| source("build/release/lab"));
        for name in PROGRAMS {
            assert!(lab.join(name).is_file(), "no {name} in {}: run ./dev build", lab.display());
        }
        lab
    })
}

/// A file of the repository.
pub fn source(path: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("lab/contenders.toml").is_file());
    root.expect("the package lies in the repository").join(path)
}

/// Compiles a program in C.
#[allow(dead_code)] // not every test program has one
pub fn cc(options: &[&str], sources: &[&str], output: &Path) {
    let sources = sources.iter().map(|path| source(path));
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-D_GNU_SOURCE", "-O2"]).args(options).args(sources);
    let status = command.arg("-o").arg(output).status().expect("cc runs");
    assert!(status.success(), "cc builds {}", output.display());
}
