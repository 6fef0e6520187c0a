//! The settings of heapsmith that are in force, as the library itself lists them.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use heapsmith_measure::table::new_table;

/// Writes each setting with its value and origin, and the mistakes that the library finds.
pub fn describe(out: &mut dyn Write, library: &Path) -> Result<()> {
    // The shell ends by a signal, so it writes no statistics, whatever the settings are.
    let output = Command::new("sh")
        .args(["-c", "kill -KILL $$"])
        .env("LD_PRELOAD", library)
        .env("HEAPSMITH_VERBOSE", "1")
        .output()
        .context("a shell to ask for the settings")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mut table = new_table();
    table.set_header(["setting", "value", "from"]);
    for line in said.lines() {
        match line.strip_prefix("  ").and_then(columns) {
            Some(["verbose", ..]) => {} // is on for this question
            Some(row) => drop(table.add_row(row)),
            None if line.contains(": settings of ") => {}
            None => writeln!(out, "{line}")?,
        }
    }
    if !table.is_empty() {
        writeln!(out, "{table}")?;
    }
    Ok(())
}

/// Name, value and origin of a row. A value may have blanks in it.
fn columns(row: &str) -> Option<[&str; 3]> {
    let (name, rest) = row.trim().split_once(' ')?;
    let (value, origin) = rest.trim().rsplit_once(' ')?;
    Some([name, value.trim(), origin])
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn rows_have_three_columns() {
        let row = "  stats_file   /a b/c  HEAPSMITH_STATS_FILE";
        assert_eq!(columns(row).unwrap(), ["stats_file", "/a b/c", "HEAPSMITH_STATS_FILE"]);
        assert_eq!(columns("  reserve      256G         default").unwrap()[1], "256G");
        assert!(columns("word").is_none());
    }
}
