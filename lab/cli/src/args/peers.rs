//! The command line of `heapsmith peers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::common::exit_codes;

const PEERS_EXAMPLES: &str = concat!(
    "Examples:
  heapsmith peers                        lists the allocators of this machine
  heapsmith peers install                builds all that are missing
  heapsmith peers install mimalloc3      builds one of them\n\n",
    exit_codes!()
);

#[derive(Debug, Args)]
#[command(after_help = PEERS_EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct PeersArgs {
    #[command(subcommand)]
    pub command: Option<PeersCommand>,

    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,

    /// heapsmith's library, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum PeersCommand {
    /// Build the newest jemalloc, mimalloc (versions 3 and 2), tcmalloc, snmalloc and rpmalloc
    ///
    /// The sources come from packages of Rust crates, with pinned versions and checksums. They are
    /// built in the folder peers of $HEAPSMITH_CACHE_DIR, $XDG_CACHE_HOME/heapsmith or
    /// ~/.cache/heapsmith. This needs cargo, a C and a C++ compiler, make, and access to a registry
    /// of crates.
    Install(InstallArgs),
    /// Allocate in several threads; an allocator that was just built must run this
    #[command(hide = true)]
    Exercise,
}

#[derive(Debug, Args)]
pub struct InstallArgs {
    /// The allocators to build (default: all that are missing)
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// Build allocators again that are installed already
    #[arg(long)]
    pub rebuild: bool,
}
