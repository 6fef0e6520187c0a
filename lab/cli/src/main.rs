//! The `heapsmith` command: which allocator should this program use?

/// In place of std's: the names of others are in many lines, and a terminal obeys some characters.
macro_rules! eprintln {
    ($($words:tt)*) => { heapsmith_measure::screen::say(&format!($($words)*)) };
}

mod advise;
mod args;
mod attach;
mod diff;
mod doctor;
mod export;
mod import;
mod info;
mod machine;
mod manual;
mod pack;
mod peers;
mod record;
mod recording;
mod replay;
mod report;
mod shown;
mod traces;
mod try_run;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use heapsmith_measure::error;
use heapsmith_measure::interrupt::survive_large_files;
use heapsmith_trace::printable::lines;

use args::{Cli, Command};

fn of_source_tree(verb: &str) -> anyhow::Error {
    error::usage(format!("{verb} is a verb of heapsmith's source tree: run ./dev {verb} there"))
}

/// Ends with what is wrong with the command line, or with the help that it asks for. A wrong word may
/// have any characters, and then the message has no colours.
fn refuse(error: &clap::Error) -> ! {
    let plain = error.render().to_string();
    if lines(&plain) == plain {
        error.exit();
    }
    eprint!("{}", lines(&plain));
    std::process::exit(error.exit_code());
}

fn main() -> ExitCode {
    let matches = Cli::command().try_get_matches().unwrap_or_else(|error| refuse(&error));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| refuse(&error));
    survive_large_files().ok(); // without it, the system ends the command
    let done = match cli.command {
        Command::Try(args) => try_run::run(&args, &matches),
        Command::Record(args) => record::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Advise(args) => advise::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Peers(args) => peers::run(&args),
        Command::Manual(args) => manual::run(&args),
        Command::Bench(_) => Err(of_source_tree("bench")),
        Command::Build(_) => Err(of_source_tree("build")),
        Command::Test(_) => Err(of_source_tree("test")),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        // What doctor and peers print. Verbs with an exit code of their own go on to the end.
        Err(error) if error::is_broken_pipe(&error) => ExitCode::from(error::OK),
        Err(error) => {
            eprintln!("heapsmith: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}
