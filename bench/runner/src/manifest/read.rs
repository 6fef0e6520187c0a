//! Reads a suite.toml, which must be sound.

use std::fs;
use std::path::Path;

use anyhow::Result;
use heapsmith_measure::error::environment;

use super::Manifest;
use super::check::check;

impl Manifest {
    /// Reads `root`/`file`. An error is one line that names the file and the key.
    pub fn read(root: &Path, file: &Path) -> Result<Self> {
        let shown = file.display();
        let text = fs::read_to_string(root.join(file))
            .map_err(|error| environment(format!("{shown}: {error}")))?;
        Self::parse(&text).map_err(|why| environment(format!("{shown}:{why}")))
    }

    /// An error reads `LINE: reason`, or ` reason` if no single line is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            format!("{line}: {}", error.message().replace('\n', " "))
        })?;
        check(&manifest).map_err(|why| format!(" {why}"))?;
        Ok(manifest)
    }
}
