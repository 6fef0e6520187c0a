//! The programs beside the suite's: those over real crates, each compiled once for each global
//! allocator, as `rust-ALLOCATOR`, and those of rows.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

pub const WORKLOADS: [&str; 3] = ["json-transform", "text-index", "key-value"];
pub const ALLOCATORS: [&str; 6] =
    ["glibc", "heapsmith", "jemalloc", "mimalloc", "snmalloc", "tcmalloc"];

/// The workloads of rows, and their programs.
const OF_ROWS: [(&str, &str); 4] = [
    ("rows-48", "rows"),
    ("rows-48-half", "rows"),
    ("columns-48", "rows"),
    ("rows-48-debug", "rows-debug"),
];

fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.with_file_name(format!("rust-{name}"))
}

/// Prints the runs of the programs that exist.
pub fn list() {
    let all = ALLOCATORS.into_iter().chain(["rows", "rows-debug"]).map(program);
    for program in all.filter(|program| program.is_file()) {
        let listed = Command::new(program).arg("--list").output().expect("the program runs");
        print!("{}", String::from_utf8_lossy(&listed.stdout));
    }
}

/// Executes the program that the workload belongs to, if it is one of these.
pub fn become_program(arguments: &[String]) -> Option<ExitCode> {
    let (contender, workload) = (arguments.first()?, arguments.get(1)?.as_str());
    let of_rows = OF_ROWS.iter().find(|(name, _)| *name == workload).map(|(_, program)| *program);
    let of_crates = WORKLOADS.contains(&workload).then_some(contender.as_str());
    let program = program(of_rows.or(of_crates)?);
    let error = Command::new(&program).args(arguments).exec();
    eprintln!("rust: {}: {error}", program.display());
    Some(ExitCode::from(2))
}
