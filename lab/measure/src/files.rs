//! The files that a session leaves, each known to be writable before anything is measured.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::error::usage;
use crate::outfile::OutFile;

#[derive(Debug, Default)]
pub struct Files {
    pub(crate) json: Option<OutFile>,
    pub(crate) report: Option<OutFile>,
    pub(crate) csv: Option<OutFile>,
    pub(crate) markdown: Option<OutFile>,
}

/// The requested files; `-` is stdout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    pub json: Option<&'a Path>,
    pub report: Option<&'a Path>,
    pub csv: Option<&'a Path>,
    pub markdown: Option<&'a Path>,
}

impl Files {
    pub fn prepare(json: Option<&PathBuf>, report: Option<&PathBuf>) -> Result<Self> {
        let (json, report) = (json.map(PathBuf::as_path), report.map(PathBuf::as_path));
        Self::of(Wanted { json, report, ..Wanted::default() })
    }

    pub fn of(wanted: Wanted) -> Result<Self> {
        let Wanted { json, report, csv, markdown } = wanted;
        let named = [
            ("--json", json),
            ("the page", report),
            ("--export-csv", csv),
            ("--export-markdown", markdown),
        ];
        refuse_one_path_twice(&named)?;
        let prepare = |path: Option<&Path>| path.map(OutFile::prepare).transpose();
        Ok(Self {
            json: prepare(json)?,
            report: prepare(report)?,
            csv: prepare(csv)?,
            markdown: prepare(markdown)?,
        })
    }

    /// Writes `text` to the file of `--json`, if there is one.
    pub fn write_json(self, text: &str) -> Result<()> {
        if let Some(file) = self.json {
            file.write(text)?;
        }
        Ok(())
    }

    /// Writes the files of `--json` and `--export-markdown` that there are.
    pub fn write(self, json: &str, markdown: &str) -> Result<()> {
        for (file, text) in [(self.json, json), (self.markdown, markdown)] {
            if let Some(file) = file {
                file.write(text)?;
            }
        }
        Ok(())
    }

    /// Writes the file of `--json` and the page. Returns the page's path if a page was requested.
    pub fn write_page(self, json: &str, html: &str) -> Result<Option<PathBuf>> {
        if let Some(file) = self.json {
            file.write(json)?;
        }
        self.report.map(|file| file.write(html)).transpose()
    }

    /// Whether one of the files is stdout, so that the table goes to stderr.
    pub fn take_stdout(&self) -> bool {
        let all = [&self.json, &self.report, &self.csv, &self.markdown];
        all.into_iter().flatten().any(OutFile::is_stdout)
    }
}

/// The folder and the name, however the path is spelt. None: the folder does not exist.
fn place_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|at| !at.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

fn refuse_one_path_twice(named: &[(&str, Option<&Path>)]) -> Result<()> {
    for (index, (option, path)) in named.iter().enumerate() {
        let Some(path) = path.filter(|path| *path != Path::new("/dev/null")) else { continue };
        let place = place_of(path);
        let is_same = |other: &Path| other == path || (place.is_some() && place_of(other) == place);
        let earlier = named[..index].iter().find(|(_, other)| other.is_some_and(is_same));
        if let Some((other, _)) = earlier {
            let place = match path.to_str() {
                Some("-") => "stdout".to_string(),
                _ => path.display().to_string(),
            };
            return Err(usage(format!("{other} and {option} cannot both go to {place}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! One place for one file, and what counts as stdout.
    use super::*;

    #[test]
    fn two_files_cannot_have_one_place() {
        let stdout = Some(Path::new("-"));
        let error = Files::of(Wanted { json: stdout, csv: stdout, ..Wanted::default() });
        let error = error.expect_err("one stdout").to_string();
        assert_eq!(error, "--json and --export-csv cannot both go to stdout");
        let null = Some(Path::new("/dev/null"));
        assert!(Files::of(Wanted { json: null, csv: null, ..Wanted::default() }).is_ok());
    }

    #[test]
    fn stdout_is_taken_only_by_a_file_that_goes_there() {
        let null = Some(Path::new("/dev/null"));
        let files = Files::of(Wanted { json: null, ..Wanted::default() }).expect("writable");
        assert!(!files.take_stdout());
        let stdout = Some(Path::new("-"));
        let files = Files::of(Wanted { csv: stdout, ..Wanted::default() }).expect("writable");
        assert!(files.take_stdout());
    }
}
