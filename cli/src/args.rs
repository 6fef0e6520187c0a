//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::try_args::TryArgs;

pub const EXIT_CODES: &str = "Exit codes: 0 ok, 1 regression (a program fails under one allocator \
only, a check differs), 2 usage, 3 environment, 130 interrupted.";

/// Runs a program under several memory allocators and shows what each one changes
#[derive(Debug, Parser)]
#[command(name = "heapsmith", version, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run commands under each allocator, in interleaved rounds, and compare
    Try(Box<TryArgs>),
    /// Show the allocators found, and what would disturb a measurement here
    Doctor(DoctorArgs),
}

#[derive(Debug, Args)]
pub struct Chosen {
    /// The allocators to run, separated by commas: NAME, /PATH/LIB.so, NAME=LIBRARY, each followed
    /// by ;VARIABLE=VALUE for its settings (default: the newest of each that is installed). May be
    /// repeated; the baseline always runs
    #[arg(long, value_name = "ALLOCATOR,…")]
    pub alloc: Vec<String>,

    /// heapsmith's library to preload, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// heapsmith's library, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
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
