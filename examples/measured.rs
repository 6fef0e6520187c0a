//! The `main` that the examples share: it prints or measures the results of both forms. An example
//! that is copied needs none of it.
//!
//! ```text
//! EXAMPLE                                                    prints the results
//! EXAMPLE CONTENDER WORKLOAD [--quick | --short] or --list   as in bench/rust/src/suite.rs
//! ```

use std::ffi::{CStr, c_char};
use std::process::ExitCode;
use std::time::Instant;

use heapsmith_bench::{Entry, Report, Request, fail};

/// A line of the output. If it is `same`, both forms and both languages must agree on it.
#[derive(PartialEq)]
pub struct Line {
    pub name: &'static str,
    pub number: u64,
    pub same: bool,
}

pub type Results = Vec<Line>;

/// A line on which both forms agree.
pub fn same(name: &'static str, number: u64) -> Line {
    Line { name, number, same: true }
}

/// A line that is measured.
pub fn differs(name: &'static str, number: u64) -> Line {
    Line { name, number, same: false }
}

/// An example in one of its forms. The functions have no state.
pub trait Example {
    /// How much the example does: in a measurement, and without arguments.
    const MEASURED: usize;
    const SHOWN: usize;

    fn std_form(size: usize) -> Results;
    fn heapsmith_form(size: usize) -> Results;
}

/// The `main` of an example.
pub fn main<E: Example>(workload: &str) -> ExitCode {
    if std::env::args().len() == 1 {
        return show(&E::heapsmith_form(E::SHOWN), &E::std_form(E::SHOWN));
    }
    let entry = |contender, version, run| Entry {
        workload: workload.to_string(),
        contender,
        version,
        threads: 1,
        run,
        is_listed: true,
    };
    heapsmith_bench::main(
        workload,
        &[
            entry("std", libc_version, |request, report| {
                measure::<E>(E::std_form, request, report)
            }),
            entry(
                "heapsmith",
                || heapsmith::version().to_string(),
                |request, report| measure::<E>(E::heapsmith_form, request, report),
            ),
        ],
    )
}

fn libc_version() -> String {
    unsafe extern "C" {
        safe fn gnu_get_libc_version() -> *const c_char;
    }
    // SAFETY: glibc's version is a static string.
    unsafe { CStr::from_ptr(gnu_get_libc_version()) }.to_string_lossy().into_owned()
}

fn measure<E: Example>(form: fn(usize) -> Results, request: &Request, report: &mut Report) {
    let size = request.choose(E::MEASURED, E::MEASURED / 4, E::SHOWN);
    let begin = Instant::now();
    let results = form(size);
    report.value("wall_s", begin.elapsed().as_secs_f64());
    report.value("peak_rss_bytes", peak_rss_bytes());
    for line in results {
        if line.same {
            report.answer(line.number);
        } else {
            report.value(line.name, line.number as f64);
        }
    }
}

/// Prints the results of heapsmith's form. The code is 0 if the std form has the same.
fn show(ours: &[Line], theirs: &[Line]) -> ExitCode {
    let shared = |all: &[Line]| {
        all.iter()
            .filter(|line| line.same)
            .map(|line| format!("{}: {}\n", line.name, line.number))
            .collect::<String>()
    };
    print!("{}", shared(ours));
    if shared(ours) == shared(theirs) {
        return ExitCode::SUCCESS;
    }
    println!("the two forms differ");
    ExitCode::FAILURE
}

fn peak_rss_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.map_or_else(|| fail("no VmHWM in /proc/self/status"), |kib| kib * 1024.0)
}
