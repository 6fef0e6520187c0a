//! The command line of `heapsmith manual`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct ManualArgs {
    /// The folder for the files, laid out as share in an installation
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}
