//! `./dev bench accuracy`: how often the replay of a recorded program has the order of its real runs.

mod cases;
mod controls;
mod show;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Parser;
use heapsmith_measure::error::{self, environment, usage};
use heapsmith_measure::place::Lab;
use heapsmith_measure::read::read;
use heapsmith_measure::row::Row;

use cases::{BASELINE, Case, Cases};
use show::Judged;

/// Run programs under each allocator, replay their traces under each, and compare the two
#[derive(Debug, Parser)]
#[command(name = "./dev bench accuracy", bin_name = "./dev bench accuracy", version)]
struct Args {
    /// Interleaved rounds of the real runs
    #[arg(long, value_name = "N", default_value_t = 9)]
    rounds: usize,

    /// Only these cases
    #[arg(long, value_name = "CASE,…", value_delimiter = ',')]
    case: Vec<String>,

    /// Keep the results of cases that an earlier run has measured
    #[arg(long)]
    resume: bool,

    /// Where the results of the cases are kept, a file for each
    #[arg(long, value_name = "FOLDER", default_value = "build/results/accuracy")]
    folder: PathBuf,

    /// Write the tables as Markdown to this file, too
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("./dev bench accuracy: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}

fn run(args: &Args) -> Result<u8> {
    let lab = Lab::find()?;
    let cases = Cases::load()?;
    let unknown = args.case.iter().find(|name| cases.case.iter().all(|case| case.name != **name));
    if let Some(name) = unknown {
        let known: Vec<&str> = cases.case.iter().map(|case| case.name.as_str()).collect();
        return Err(usage(format!("no case '{name}'; there are {}", known.join(", "))));
    }
    fs::create_dir_all(&args.folder).with_context(|| args.folder.display().to_string())?;
    let mut judged = Vec::new();
    let mut controls = Vec::new();
    for case in &cases.case {
        if !args.case.is_empty() && !args.case.contains(&case.name) {
            continue;
        }
        let file = args.folder.join(&case.name).with_extension("jsonl");
        if !(args.resume && file.is_file()) {
            measure(case, &cases.allocators, args.rounds, &lab, &file)?;
        }
        let (real, replay) = rows(&file)?;
        judged.push(Judged::of(&case.name, &real, &replay, BASELINE));
        if case.controls {
            let file = args.folder.join(format!("{}-controls.jsonl", case.name));
            if !(args.resume && file.is_file()) {
                let allocators = controls::allocators(&lab)?;
                measure(case, &allocators, args.rounds, &lab, &file)?;
            }
            let (real, replay) = rows(&file)?;
            controls.extend(controls::judge(&case.name, &real, &replay));
        }
    }
    let text = show::text(&judged, &controls);
    print!("{text}");
    if let Some(file) = &args.markdown {
        fs::write(file, show::markdown(&judged, &controls))
            .with_context(|| file.display().to_string())?;
    }
    Ok(u8::from(!show::targets_are_met(&judged, &controls)))
}

/// Has `heapsmith try --record` measure a case. The file appears when it is complete.
fn measure(
    case: &Case,
    allocators: &[String],
    rounds: usize,
    lab: &Lab,
    file: &Path,
) -> Result<()> {
    let command = lab.build().join("heapsmith");
    if !command.is_file() {
        let command = command.display();
        return Err(environment(format!(
            "no {command}: run ./dev bench accuracy in the source tree"
        )));
    }
    let part = file.with_extension("part");
    eprintln!("{}", case.name);
    let mut words = case.command.clone();
    words[0] = lab.build().join(&words[0]).display().to_string();
    let status = Command::new(command)
        .args(["try", "--record", "--no-advice", "--baseline", BASELINE, "--report", "/dev/null"])
        .args(["--rounds", &rounds.to_string(), "--alloc", &allocators.join(",")])
        .arg("--json")
        .arg(&part)
        .arg("--")
        .args(&words)
        .stdout(std::process::Stdio::null())
        .status()
        .context("heapsmith try")?;
    // 1: the program fails under some allocators, which are then left out.
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(environment(format!("{}: heapsmith try ended with {status}", case.name)));
    }
    fs::rename(&part, file).with_context(|| file.display().to_string())
}

/// The row of the real runs, and that of the replay.
fn rows(file: &Path) -> Result<(Row, Row)> {
    let rows = read(&[file.to_path_buf()], Some(BASELINE))?.rows;
    let of = |suite: &str| {
        let found = rows.iter().find(|row| row.suite == suite).cloned();
        found.with_context(|| format!("{} has no results of suite {suite}", file.display()))
    };
    Ok((of("try")?, of("replay")?))
}
