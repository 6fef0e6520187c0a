//! The programs over real crates. Each is compiled once for each global allocator, as
//! `rust-ALLOCATOR` beside the suite's program.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

pub const WORKLOADS: [&str; 3] = ["json-transform", "text-index", "key-value"];
pub const ALLOCATORS: [&str; 6] =
    ["glibc", "heapsmith", "jemalloc", "mimalloc", "snmalloc", "tcmalloc"];

fn program(allocator: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.with_file_name(format!("rust-{allocator}"))
}

/// Prints the runs of the programs that exist.
pub fn list() {
    for program in ALLOCATORS.map(program).iter().filter(|program| program.is_file()) {
        let listed = Command::new(program).arg("--list").output().expect("the program runs");
        print!("{}", String::from_utf8_lossy(&listed.stdout));
    }
}

/// Executes the program with the allocator, if the workload is one of the programs'.
pub fn become_program(arguments: &[String]) -> Option<ExitCode> {
    let (allocator, workload) = (arguments.first()?, arguments.get(1)?);
    if !WORKLOADS.contains(&workload.as_str()) {
        return None;
    }
    let program = program(allocator);
    let error = Command::new(&program).args(arguments).exec();
    eprintln!("rust: {}: {error}", program.display());
    Some(ExitCode::from(2))
}
