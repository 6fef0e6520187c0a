//! The command line of `heapsmith pack`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct PackArgs {
    /// The folder that a recording was interrupted in: FILE.raw
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The trace to write, `-` is stdout (default: the name of the folder without .raw)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the trace if it exists
    #[arg(short, long)]
    pub force: bool,

    /// Keep no names, as `heapsmith record --anonymize`
    #[arg(long)]
    pub anonymize: bool,
}
