//! Finds the built report page, which the command carries inside itself.

use std::{env, path::PathBuf, process::exit};

fn main() {
    let named = env::var_os("HEAPSMITH_REPORT_TEMPLATE").map(PathBuf::from);
    let manifest_dir = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let template = named.unwrap_or_else(|| manifest_dir.join("../page/dist/report.html"));
    println!("cargo:rerun-if-env-changed=HEAPSMITH_REPORT_TEMPLATE");
    println!("cargo:rerun-if-changed={}", template.display());
    match template.canonicalize() {
        Ok(path) => println!("cargo:rustc-env=HEAPSMITH_REPORT_TEMPLATE={}", path.display()),
        Err(error) => {
            eprintln!(
                "the report page {} is not built ({error}): run ./dev build, which builds it first",
                template.display()
            );
            exit(1);
        }
    }
}
