//! The command line of the suite's programs.
//!
//! ```text
//! PROGRAM CONTENDER WORKLOAD [--threads N] [--quick | --short]
//! PROGRAM --list
//! ```
//!
//! The list has a line for each possible run: workload, contender, threads. If a check fails, the
//! program prints "wrong: …" and exits with code 1.

use std::process::ExitCode;

use crate::report::Report;

/// The length of a run: the whole workload, a part of it for a quick look, or the least for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    Whole,
    Quick,
    Short,
}

pub struct Request {
    pub effort: Effort,
}

impl Request {
    pub fn choose<T>(&self, whole: T, quick: T, short: T) -> T {
        match self.effort {
            Effort::Whole => whole,
            Effort::Quick => quick,
            Effort::Short => short,
        }
    }
}

/// One contender in one workload.
pub struct Entry {
    pub workload: String,
    pub contender: &'static str,
    pub version: fn() -> String,
    pub threads: u32,
    pub run: fn(&Request, &mut Report),
    /// False for a negative control.
    pub is_listed: bool,
}

/// Runs the entry that the command line names.
pub fn main(program: &str, entries: &[Entry]) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let asked = match words.as_slice() {
        ["--list"] => {
            list(entries);
            return ExitCode::SUCCESS;
        }
        [contender, workload, options @ ..] => parse(options).and_then(|(effort, threads)| {
            let is_asked = |entry: &&Entry| {
                (entry.contender, entry.workload.as_str()) == (*contender, *workload)
                    && threads.is_none_or(|threads| threads == entry.threads)
            };
            Some((entries.iter().find(is_asked)?, Request { effort }))
        }),
        _ => None,
    };
    let Some((entry, request)) = asked else {
        eprintln!("usage: {program} CONTENDER WORKLOAD [--threads N] [--quick | --short]");
        eprintln!("       {program} --list");
        return ExitCode::from(2);
    };
    let version = (entry.version)();
    let mut report = Report::new(entry.threads);
    (entry.run)(&request, &mut report);
    println!("contender {}\nversion {version}", entry.contender);
    report.print();
    ExitCode::SUCCESS
}

/// The effort, and the number of threads if given.
fn parse(options: &[&str]) -> Option<(Effort, Option<u32>)> {
    let (mut effort, mut threads) = (Effort::Whole, None);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match *option {
            "--quick" => effort = Effort::Quick,
            "--short" => effort = Effort::Short,
            "--threads" => threads = Some(options.next()?.parse().ok()?),
            _ => return None,
        }
    }
    Some((effort, threads))
}

fn list(entries: &[Entry]) {
    for entry in entries.iter().filter(|entry| entry.is_listed) {
        println!("{} {} {}", entry.workload, entry.contender, entry.threads);
    }
}
