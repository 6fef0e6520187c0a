//! Writes the files that a session leaves.

use std::path::PathBuf;

use anyhow::Result;

use crate::export;
use crate::files::Files;
use crate::page::{self, Entry, Page};
use crate::record;
use crate::results::Results;

/// Files that were written.
pub struct Written {
    /// The file of --json.
    pub json: Option<PathBuf>,
    pub page: Option<PathBuf>,
    /// Why one of the files could not be written: the first that could not.
    pub failed: Option<anyhow::Error>,
}

impl Results {
    /// Writes the files. Returns the page's path if a page was requested.
    pub fn write(&self, files: Files) -> Result<Option<PathBuf>> {
        let Written { page, failed, .. } = self.write_each(files);
        failed.map_or(Ok(page), Err)
    }

    /// Writes each of the files, also if another one cannot be written.
    pub fn write_each(&self, files: Files) -> Written {
        let mut failed = None;
        let mut written = |done: Result<Option<PathBuf>>| {
            done.unwrap_or_else(|error| {
                failed.get_or_insert(error);
                None
            })
        };
        let Files { json, csv, markdown, report } = files;
        let json = written(json.map(|file| file.write(self.json_lines()?)).transpose());
        written(csv.map(|file| file.write(export::csv(self)?)).transpose());
        written(markdown.map(|file| file.write(export::markdown(self))).transpose());
        let render = || page::render(Some(&self.page()), self.traces.as_ref());
        let page = written(report.map(|file| file.write(render()?)).transpose());
        Written { json, page, failed }
    }

    fn page(&self) -> Page<'_> {
        Page {
            version: record::VERSION,
            command: &self.provenance.command,
            created: &self.provenance.created,
            machine: &self.provenance.machine,
            contenders: self.identities.iter().map(Entry::of).collect(),
            records: &self.records,
            failures: &self.failures,
            verdict: self.verdict.as_ref(),
            curves: &self.curves,
            proof: &self.processes,
            advice: &self.advice,
            published: &self.published,
        }
    }
}
