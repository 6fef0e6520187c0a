//! `heapsmith record`: runs a program with the recorder, and packs what it recorded.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::Result;
use heapsmith_measure::error::{interrupted, usage};
use heapsmith_measure::others::of_children_s;
use heapsmith_measure::place::Lab;
use heapsmith_trace::pack::Times;

use crate::args::record::RecordArgs;
use crate::recording::packing::{pack_all, prepare};
use crate::recording::recorder::require_recorder;
use crate::recording::writing::{Writing, with_suffix};
use crate::recording::{loader, missing, raw_folder, wait};

/// Runs the program. Returns its exit code, or 128 and the number of its signal.
pub fn run(args: &RecordArgs) -> Result<u8> {
    if let Some(pid) = args.pid {
        return crate::attach::run(args, pid);
    }
    let trace = match &args.output {
        Some(named) => named.clone(),
        None => default_name(&args.program[0]),
    };
    loader::require_no_musl(&args.program[0])?;
    let out = prepare(&trace, args.force)?;
    let recorder = require_recorder(&Lab::find()?)?;
    let plain_cpu_s = if args.twice { run_plainly(&args.program)? } else { None };
    let raw = raw_folder::make(&out, args.force)?;
    let status = run_recorded(&args.program, &recorder, &raw, out.is_stdout());
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            fs::remove_dir(&raw).ok();
            return Err(error);
        }
    };
    if args.wait {
        missing::wait(&raw);
    }
    missing::tell_running(&raw);
    missing::tell_filter(status.0);
    let (may_replace, anonymously) = (args.force, args.anonymize);
    let times = Times { cpu_s: status.1, plain_cpu_s };
    let command = Some(args.program[0].as_os_str());
    let writing = Writing { may_replace, anonymously, quietly: false, times, command };
    let told = pack_all(&raw, out, writing, None);
    if told.is_err() {
        // An empty folder is of no use; another one is what `heapsmith pack` reads.
        fs::remove_dir(&raw).ok();
    }
    told?;
    Ok(code_of(status.0))
}

fn default_name(program: &OsString) -> PathBuf {
    let name = Path::new(program).file_name().unwrap_or(program.as_os_str());
    with_suffix(Path::new(name), ".trace")
}

fn cannot_run(program: &OsString, error: &std::io::Error) -> anyhow::Error {
    usage(format!("cannot run {}: {error}", Path::new(program).display()))
}

/// Returns: the processor time of the program in seconds.
fn run_plainly(program: &[OsString]) -> Result<Option<f64>> {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let before = of_children_s();
    let ended = wait::run(&mut command).map_err(|error| cannot_run(&program[0], &error))?;
    if ended.1 {
        return Err(interrupted("interrupted before the recording began"));
    }
    Ok(of_children_s().zip(before).map(|(after, before)| after - before))
}

/// Returns: how the program ended, and its processor time in seconds.
fn run_recorded(
    program: &[OsString],
    recorder: &Path,
    raw: &Path,
    stdout_is_taken: bool,
) -> Result<(ExitStatus, Option<f64>)> {
    let mut preload = recorder.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(" ");
        preload.push(others);
    }
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).env("LD_PRELOAD", preload);
    command.env("HEAPSMITH_RECORD_DIR", std::path::absolute(raw)?);
    if stdout_is_taken {
        command.stdout(std::io::stderr());
    }
    let before = of_children_s();
    let ended = wait::run(&mut command).map_err(|error| cannot_run(&program[0], &error))?;
    let cpu_s = of_children_s().zip(before).map(|(after, before)| after - before);
    Ok((ended.0, cpu_s))
}

fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}
