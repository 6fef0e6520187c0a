//! The stream that tables and sentences go to: stdout, or stderr if results go to stdout.

use std::env;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::Result;
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{ContentArrangement, Table};
use heapsmith_trace::printable::{coloured_lines, lines, name_of_bytes};
use terminal_size::{Width, terminal_size_of};

use crate::error::allow_closed_pipe;
use crate::files::Files;

/// A line on stderr. Characters that a terminal obeys become escapes.
pub fn say(line: &str) {
    eprintln!("{}", lines(line));
}

/// The full path of a file that was written, as a line of its own shows it.
pub fn full_path(path: &Path) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    name_of_bytes(full.as_os_str().as_bytes())
}

/// The width of a terminal that does not tell its own.
const USUAL_WIDTH: usize = 80;

/// A stream with its width and its colours.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    stream: Stream,
    /// In columns; none in a pipe, which has room for everything.
    width: Option<usize>,
    is_coloured: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Stdout,
    Stderr,
}

impl Screen {
    /// stderr if one of `files` goes to stdout.
    pub fn beside(files: &Files) -> Self {
        if files.take_stdout() { Self::stderr() } else { Self::stdout() }
    }

    pub fn stdout() -> Self {
        let told = terminal_size_of(stdout()).map(|(Width(columns), _)| columns.into());
        Self::of(Stream::Stdout, stdout().is_terminal(), told)
    }

    pub fn stderr() -> Self {
        let told = terminal_size_of(stderr()).map(|(Width(columns), _)| columns.into());
        Self::of(Stream::Stderr, stderr().is_terminal(), told)
    }

    fn of(stream: Stream, is_terminal: bool, told: Option<usize>) -> Self {
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let width = width(is_terminal, told, columns);
        Self { stream, width, is_coloured: is_terminal && !refused }
    }

    /// Without colours, for tests and files.
    pub fn plain(width: Option<usize>) -> Self {
        Self { stream: Stream::Stdout, width, is_coloured: false }
    }

    pub fn lock(&self) -> Box<dyn Write> {
        match self.stream {
            Stream::Stdout => Box::new(stdout().lock()),
            Stream::Stderr => Box::new(stderr().lock()),
        }
    }

    /// Writes `text`, or as much of it as the reader of a pipe takes. Characters that a terminal obeys
    /// become escapes, but for the colours of tables.
    pub fn print(&self, text: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy(text);
        let text = if self.is_coloured { coloured_lines(&text) } else { lines(&text) };
        let mut out = self.lock();
        let done = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        allow_closed_pipe(done.map_err(Into::into))
    }

    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// An empty table. Its columns are as wide as their contents.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_preset(UTF8_HORIZONTAL_ONLY);
        table.set_content_arrangement(ContentArrangement::Disabled);
        if self.is_coloured {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table
    }

    pub fn fits(&self, table: &Table) -> bool {
        self.width.is_none_or(|width| width_of(table) <= width)
    }

    /// The first table that fits, or else the last.
    pub fn first_that_fits<T>(
        &self,
        candidates: impl IntoIterator<Item = T>,
        table: impl Fn(&T) -> &Table,
    ) -> Option<T> {
        let mut last = None;
        for candidate in candidates {
            let fits = self.fits(table(&candidate));
            last = Some(candidate);
            if fits {
                break;
            }
        }
        last
    }
}

/// Each column has a blank on both sides, and there is one more between two columns.
fn width_of(table: &Table) -> usize {
    let columns = table.column_max_content_widths();
    let cells: usize = columns.iter().map(|content| usize::from(*content) + 2).sum();
    cells + columns.len().saturating_sub(1)
}

fn width(is_terminal: bool, told: Option<usize>, columns: Option<usize>) -> Option<usize> {
    let known = |width: &usize| *width > 0;
    let told = told.filter(known);
    let columns = columns.filter(known);
    if is_terminal { told.or(columns).or(Some(USUAL_WIDTH)) } else { columns }
}

#[cfg(test)]
mod tests {
    //! The width of a terminal and of a pipe.
    use super::*;

    #[test]
    fn a_terminal_knows_its_width_or_has_80_columns() {
        assert_eq!(width(true, Some(120), Some(60)), Some(120));
        assert_eq!(width(true, Some(0), Some(60)), Some(60));
        assert_eq!(width(true, None, None), Some(80));
    }

    #[test]
    fn a_pipe_has_no_width_unless_columns_gives_one() {
        assert_eq!(width(false, None, None), None);
        assert_eq!(width(false, None, Some(60)), Some(60));
        assert_eq!(width(false, None, Some(0)), None);
    }

    #[test]
    fn the_width_of_a_table_is_that_of_its_lines() {
        let mut table = Screen::plain(None).table();
        table.set_header(["a", "wider"]).add_row(["×1.00\nmore", "x"]);
        let text = table.to_string();
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert_eq!(longest, Some(width_of(&table)));
    }

    #[test]
    fn the_first_table_that_fits_is_taken_or_else_the_narrowest() {
        let table = |text: &str| {
            let mut table = Screen::plain(None).table();
            table.add_row([text]);
            table
        };
        let chosen = |width| {
            let tables = [table("a wide one"), table("narrow"), table("x")];
            let screen = Screen::plain(width);
            screen.first_that_fits(tables, |table| table).map(|table| table.to_string())
        };
        assert!(chosen(None).is_some_and(|text| text.contains("a wide one")));
        assert!(chosen(Some(8)).is_some_and(|text| text.contains("narrow")));
        assert!(chosen(Some(2)).is_some_and(|text| text.contains('x')));
    }
}
