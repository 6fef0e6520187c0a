//! Hands the versions that Cargo.lock pins to the code, which reports them to the lab.

use std::path::Path;

fn main() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).expect("the workspace has a Cargo.lock");
    for name in ["rlsf", "talc"] {
        let version = pinned(&text, name).expect("Cargo.lock pins every dependency");
        println!("cargo::rustc-env=VERSION_OF_{}={version}", name.to_uppercase());
    }
}

/// The version in the `[[package]]` table called `name`.
fn pinned<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let table = lock.split("[[package]]").find(|table| value(table, "name") == Some(name))?;
    value(table, "version")
}

fn value<'a>(table: &'a str, key: &str) -> Option<&'a str> {
    let assigned = |line: &'a str| line.strip_prefix(key)?.strip_prefix(" = ");
    Some(table.lines().find_map(assigned)?.trim_matches('"'))
}
