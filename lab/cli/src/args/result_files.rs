//! The files that results can be written to, beside the page.

use std::path::{Path, PathBuf};

use clap::Args;
use heapsmith_measure::files::Wanted;

/// `-` is stdout. The table then goes to stderr.
#[derive(Debug, Args)]
pub struct Exports {
    /// Write the results as JSON lines; `-` is stdout, and then the table goes to stderr
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write a line of CSV for each allocator and metric; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,

    /// Write a table in Markdown; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
}

impl Exports {
    pub fn wanted<'a>(&'a self, page: &'a Path) -> Wanted<'a> {
        Wanted {
            json: self.json.as_deref(),
            report: Some(page),
            csv: self.export_csv.as_deref(),
            markdown: self.export_markdown.as_deref(),
        }
    }
}
