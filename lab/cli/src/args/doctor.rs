//! The command line of `heapsmith doctor`.

use std::path::PathBuf;

use clap::Args;

const DOCTOR_EXAMPLE: &str = "\
Example:
  heapsmith doctor                       what is here, and what to fix before measuring";

#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLE)]
pub struct DoctorArgs {
    /// heapsmith's library, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}
