//! The `heapsmith` command: which allocator should this program use?

mod args;
mod busy;
mod disturb;
mod doctor;
mod next;
mod table;
mod try_;

use std::process::ExitCode;

use clap::Parser;
use heapsmith_measure::error;

use args::{Cli, Command};

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Try(args) => try_::run(&args),
        Command::Doctor(args) => doctor::run(&args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        // The reader of the table has closed the pipe. The files were written before the table.
        Err(error) if error::is_broken_pipe(&error) => ExitCode::from(error::OK),
        Err(error) => {
            eprintln!("heapsmith: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}
