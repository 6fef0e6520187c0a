//! How tables and ratios look on a terminal and in a pipe.

use std::fmt;

use comfy_table::{CellAlignment, Color};

use crate::digits;
use crate::screen::Screen;
use crate::stats::{Estimate, Verdict};

pub use comfy_table::{Attribute, Cell, Table, TableComponent};

/// A table for stdout.
pub fn new_table() -> Table {
    Screen::stdout().table()
}

/// A right-aligned cell: green for better, red for worse.
pub fn judged_cell(text: String, verdict: Option<Verdict>) -> Cell {
    let cell = Cell::new(text).set_alignment(CellAlignment::Right);
    match verdict {
        Some(Verdict::Better) => cell.fg(Color::Green),
        Some(Verdict::Worse) => cell.fg(Color::Red),
        Some(Verdict::Same) | None => cell,
    }
}

/// The median with its interval: `×0.87 [0.85, 0.90]`.
impl fmt::Display for Estimate {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let (ratio, interval) = digits::ratio(self.median, self.low, self.high);
        write!(out, "{ratio} {interval}")
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "no measurable difference",
        })
    }
}
