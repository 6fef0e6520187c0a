//! Hands the versions that Cargo.lock pins to the code, which reports them to the lab: that of a crate
//! `a-b` as VERSION_OF_A_B.

use std::path::{Path, PathBuf};

fn main() {
    let lock = lock_file();
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).expect("the workspace has a Cargo.lock");
    for package in text.split("[[package]]").skip(1) {
        let [name, version] = ["name", "version"].map(|key| value(package, key));
        let name = name.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=VERSION_OF_{name}={version}");
    }
}

/// The nearest one above the package.
fn lock_file() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut found = above.map(|folder| folder.join("Cargo.lock")).filter(|lock| lock.is_file());
    found.next().expect("the workspace has a Cargo.lock")
}

fn value<'a>(table: &'a str, key: &str) -> &'a str {
    let assigned = |line: &'a str| line.strip_prefix(key)?.strip_prefix(" = ");
    let found = table.lines().find_map(assigned).expect("every package has a name and a version");
    found.trim_matches('"')
}
