//! The `heapsmith` command: which allocator should this program use?

mod advise;
mod advise_code;
mod advise_gain;
mod advise_piece;
mod advise_search;
mod advise_text;
mod advise_trials;
mod args;
mod attach;
mod busy;
mod diff;
mod diff_table;
mod diff_traces;
mod disturb;
mod doctor;
mod export;
mod import;
mod info;
mod inventory;
mod manual;
mod missing;
mod next;
mod notes;
mod outputs;
mod packing;
mod peers;
mod raw_folder;
mod record;
mod replay;
mod replay_inside;
mod replay_once;
mod replay_others;
mod replay_peak;
mod replay_printed;
mod replay_run;
mod replay_table;
mod report;
mod report_traces;
mod settings;
mod table;
mod try_;
mod try_args;
mod try_commands;
mod try_end;
mod try_field;
mod try_input;
mod try_live;
mod try_memory;
mod try_pace;
mod try_record;
mod try_runs;
mod wait;
mod whole;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use heapsmith_measure::error;
use heapsmith_measure::interrupt::survive_large_files;

use args::{Cli, Command};

fn of_source_tree(verb: &str) -> anyhow::Error {
    error::usage(format!("{verb} is a verb of heapsmith's source tree: run ./dev {verb} there"))
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    survive_large_files().ok(); // without it, the system ends the command
    let done = match cli.command {
        Command::Try(args) => try_::run(&args, &matches),
        Command::Record(args) => record::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Advise(args) => advise::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Pack(args) => record::run_pack(&args),
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
