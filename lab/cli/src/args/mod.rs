//! The command line: a file for each verb, and what several verbs take.

pub mod advise;
pub mod common;
pub mod diff;
pub mod doctor;
pub mod export;
pub mod import;
pub mod info;
pub mod manual;
pub mod pack;
pub mod peers;
pub mod record;
pub mod replay;
pub mod report;
pub mod result_files;
pub mod try_;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};

use advise::AdviseArgs;
use common::exit_codes;
use diff::DiffArgs;
use doctor::DoctorArgs;
use export::ExportArgs;
use import::ImportArgs;
use info::InfoArgs;
use manual::ManualArgs;
use pack::PackArgs;
use peers::PeersArgs;
use record::RecordArgs;
use replay::ReplayArgs;
use report::ReportArgs;
use try_::TryArgs;

const NEEDS_AND_EXIT_CODES: &str = concat!(
    "No verb needs heapsmith's source tree. `peers install` needs cargo, a C and a C++ compiler, \
     and make. The benchmark suites are in the source tree: ./dev bench.\n\n",
    exit_codes!()
);

/// Runs a program under several memory allocators and shows what each one changes
#[derive(Debug, Parser)]
#[command(name = "heapsmith", version, after_help = NEEDS_AND_EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

// There is one of these in a process: its size does not matter.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)]
pub enum Command {
    /// Run commands under each allocator, in interleaved rounds, and compare
    ///
    /// Each round runs every command once under every allocator. The rounds end when every
    /// comparison is decided, or when the budget is used up. Every run reads a copy of heapsmith's
    /// stdin if that is a file or a pipe, or else /dev/null. The output of the runs is discarded.
    Try(Box<TryArgs>),
    /// Record every allocation of a program
    ///
    /// The program runs with its own input, output and exit code. FILE is the trace of the process
    /// that allocated most bytes; the folder FILE.others has the traces of the others. With -p,
    /// heapsmith records a process that already runs, and lets it go on afterwards.
    /// docs/recording.md describes the method.
    Record(RecordArgs),
    /// Sum up a recorded trace: calls, sizes, lifetimes, threads, the peak, sites
    Info(InfoArgs),
    /// Replay a recorded trace under each allocator, and compare
    ///
    /// A small program makes the calls of the trace, in as many threads as the recorded program
    /// had, and touches its blocks as the recorded program did. The time of the replay itself is
    /// measured with an allocator that does nothing, and subtracted. docs/replay.md describes the
    /// method and its limits.
    Replay(ReplayArgs),
    /// Say what to change in a recorded program, after a replay has shown that it pays
    ///
    /// It finds sites whose blocks fit an arena, a scope, a pool or a buffer, or grow step by step,
    /// and replays the program with such changes. It also replays the whole program under other
    /// mallocs. It prints a change that saves at least 1 % of the time or the peak, with its
    /// interval. docs/advice.md describes the method and its limits.
    Advise(AdviseArgs),
    /// Write a recorded trace in the format of another tool's viewer
    ///
    /// A site's numbers are divided among the stacks of calls that were sampled there.
    /// docs/exports.md says what each format has.
    Export(ExportArgs),
    /// Make a trace from a file of heaptrack, or from the text that mtrace writes
    ///
    /// Such traces are approximate: they have one thread, and do not say which function of malloc's
    /// family was called. `info` and `replay` say so.
    Import(ImportArgs),
    /// Pack a recording that was interrupted
    Pack(PackArgs),
    /// Make the page and the tables again from results in JSON lines
    ///
    /// Several files become one page. A workload that several files have becomes one workload for
    /// each file, because runs of different sessions make no pairs. The verdict is computed again.
    /// docs/results.md describes the files.
    Report(ReportArgs),
    /// Compare new results or a new trace with old ones; can fail a build on a regression
    ///
    /// Each allocator is compared with itself, in all workloads and metrics that both files have.
    /// With 95 % confidence, all intervals hold. If an interval leaves open whether there is a
    /// loss, the comparison is "cannot tell" and does not change the exit code.
    ///
    /// For two traces of a program, it compares calls, bytes, the peak and what was never freed, in
    /// total and by site. docs/ci.md has recipes.
    Diff(DiffArgs),
    /// Show the allocators found, and what would disturb a measurement here
    Doctor(DoctorArgs),
    /// List the allocators of this machine; `peers install` builds the newest ones
    Peers(PeersArgs),
    /// Write the man pages and the completions of shells, for an installation
    #[command(hide = true)]
    Manual(ManualArgs),
    /// A verb of the source tree
    #[command(hide = true)]
    Bench(TreeArgs),
    /// A verb of the source tree
    #[command(hide = true)]
    Build(TreeArgs),
    /// A verb of the source tree
    #[command(hide = true)]
    Test(TreeArgs),
}

/// Any arguments of a verb that only the source tree has.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct TreeArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    //! The definition is sound and its limits hold.
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
