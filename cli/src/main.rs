//! The `heapsmith` command: which allocator should this program use?

mod args;
mod bench;
mod busy;
mod contender;
mod disturb;
mod doctor;
mod drain;
mod error;
mod failure;
mod interrupt;
mod launch;
mod machine;
mod metric;
mod next;
mod outfile;
mod page;
mod place;
mod program;
mod progress;
mod prove;
mod record;
mod results;
mod round;
mod row;
mod stats;
mod suggest;
mod table;
mod try_;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Try(args) => try_::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        // The reader of our table has seen enough; the files are written before the table.
        Err(error) if error::is_broken_pipe(&error) => ExitCode::from(error::OK),
        Err(error) => {
            eprintln!("heapsmith: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}
