//! Traces in the formats of other tools.
//!
//! | format | for | module |
//! |---|---|---|
//! | `folded` | flame graphs: inferno, flamegraph.pl | [`folded`] |
//! | `speedscope` | speedscope.app | [`speedscope`] |
//! | `pprof` | `go tool pprof` and what reads its files | [`pprof`] |
//! | `dhat` | Valgrind's dh_view.html | [`dhat`] |
//! | `firefox` | profiler.firefox.com | [`firefox`] |
//! | `chrome` | Perfetto, chrome://tracing | [`chrome`] |
//! | `csv` | spreadsheets, data frames | [`csv`] |

pub mod chrome;
pub mod csv;
pub mod dhat;
#[cfg(test)]
mod example;
pub mod firefox;
pub mod folded;
pub mod pprof;
pub(crate) mod profile;
mod ranges;
pub mod speedscope;

use std::io::{self, Write};
use std::path::Path;

use crate::error::Result;
use crate::info::{Info, of_trace};
use crate::packed::Tables;
pub use profile::Profile;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Folded,
    Speedscope,
    Pprof,
    Dhat,
    Firefox,
    Chrome,
    Csv,
}

impl Format {
    pub const ALL: [Self; 7] = [
        Self::Folded,
        Self::Speedscope,
        Self::Pprof,
        Self::Dhat,
        Self::Firefox,
        Self::Chrome,
        Self::Csv,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Folded => "folded",
            Self::Speedscope => "speedscope",
            Self::Pprof => "pprof",
            Self::Dhat => "dhat",
            Self::Firefox => "firefox",
            Self::Chrome => "chrome",
            Self::Csv => "csv",
        }
    }

    /// The usual ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Folded => "folded",
            Self::Speedscope => "speedscope.json",
            Self::Pprof => "pb.gz",
            Self::Dhat => "dhat.json",
            Self::Firefox => "firefox.json",
            Self::Chrome => "chrome.json",
            Self::Csv => "csv",
        }
    }
}

/// A trace, read for one format.
pub struct Export {
    format: Format,
    info: Info,
    tables: Tables,
    sampled: Vec<firefox::Sampled>,
    /// A line about damage. All that lies before it is there.
    pub damage: Option<String>,
}

impl Export {
    /// Complexity: one pass over the events; two for Firefox.
    pub fn read(path: &Path, format: Format) -> Result<Self> {
        let (info, tables, damage) = of_trace(path)?;
        let sampled = match format {
            Format::Firefox => firefox::sample(path, &info)?,
            _ => Vec::new(),
        };
        Ok(Self { format, info, tables, sampled, damage })
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let profile = Profile::of(&self.info, &self.tables);
        match self.format {
            Format::Folded => folded::write(&profile, out),
            Format::Speedscope => speedscope::write(&profile, out),
            Format::Pprof => pprof::write(&profile, out),
            Format::Dhat => dhat::write(&profile, out),
            Format::Firefox => firefox::write(&profile, &self.sampled, out),
            Format::Chrome => chrome::write(&profile, out),
            Format::Csv => csv::write(&profile, out),
        }
    }
}
