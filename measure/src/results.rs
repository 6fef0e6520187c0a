//! Everything a session found, and the two files it can leave: JSON lines and the page.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;

use crate::machine::Machine;
use crate::outfile::OutFile;
use crate::page::{self, Entry, Page};
use crate::program::quote;
use crate::prove::Identity;
use crate::record::{self, Failed, Provenance, Record};

pub struct Results {
    pub provenance: Provenance,
    pub identities: Vec<Identity>,
    pub records: Vec<Record>,
    pub failures: Vec<Failed>,
}

/// The requested files, each known to be writable before anything is measured.
pub struct Files {
    json: Option<OutFile>,
    report: Option<OutFile>,
}

impl Files {
    pub fn prepare(json: Option<&PathBuf>, report: Option<&PathBuf>) -> Result<Self> {
        let prepare = |path: Option<&PathBuf>| path.map(|path| OutFile::prepare(path)).transpose();
        Ok(Self { json: prepare(json)?, report: prepare(report)? })
    }
}

impl Results {
    /// Empty results of `command`, which is named as a person types it, without its path. The
    /// arguments of this process follow it.
    pub fn new(command: &[&str]) -> Self {
        let words = command.iter().map(OsString::from).chain(std::env::args_os().skip(1));
        let command: Vec<_> = words.collect();
        let provenance = Provenance { machine: Machine::look(), command: quote(&command) };
        Self { provenance, identities: Vec::new(), records: Vec::new(), failures: Vec::new() }
    }

    /// Adds a contender, unless it was added before.
    pub fn identify(&mut self, identity: &Identity) {
        if !self.identities.iter().any(|known| known.name == identity.name) {
            self.identities.push(identity.clone());
        }
    }

    /// Writes the files. Returns the page's path if a page was requested.
    pub fn write(&self, files: Files) -> Result<Option<PathBuf>> {
        if let Some(file) = files.json {
            file.write(&record::json_lines(&self.records, &self.failures)?)?;
        }
        files.report.map(|file| file.write(&page::render(&self.page())?)).transpose()
    }

    fn page(&self) -> Page<'_> {
        Page {
            version: 1,
            command: &self.provenance.command,
            created: page::created(),
            machine: &self.provenance.machine,
            contenders: self.identities.iter().map(Entry::of).collect(),
            records: &self.records,
            failures: &self.failures,
        }
    }
}
