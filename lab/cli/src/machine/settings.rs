//! The settings of heapsmith that are in force, as the library itself lists them.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use heapsmith_measure::suggest::nearest;
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
    let rows = || said.lines().filter_map(|line| line.strip_prefix("  ").and_then(columns));
    let names: Vec<&str> = rows().map(|[name, ..]| name).collect();
    let is_row = |line: &str| line.strip_prefix("  ").and_then(columns).is_some();
    for line in said.lines().filter(|line| !is_row(line) && !line.contains(": settings of ")) {
        writeln!(out, "{}", corrected(line, &names))?;
    }
    let mut table = new_table();
    table.set_header(["setting", "value", "from"]);
    for row in rows().filter(|[name, ..]| *name != "verbose") {
        table.add_row(row); // that one is on for this question
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

/// The line of a mistake. Behind an unknown name, the setting that it may mean. Names are compared
/// without the beginning that all variables share.
fn corrected(line: &str, names: &[&str]) -> String {
    const BEGIN: &str = "HEAPSMITH_";
    let Some((said, _)) = line.split_once(" is unknown; ") else { return line.to_string() };
    let given = said.rsplit(' ').next().unwrap_or_default();
    let bare = given.strip_prefix(BEGIN);
    let meant = nearest(&bare.unwrap_or(given).to_lowercase(), names);
    match (meant, bare.is_some()) {
        (None, _) => line.to_string(),
        (Some(name), true) => {
            format!("{said} is unknown, did you mean '{BEGIN}{}'?", name.to_uppercase())
        }
        (Some(name), false) => format!("{said} is unknown, did you mean '{name}'?"),
    }
}

#[cfg(test)]
mod tests {
    use super::{columns, corrected};

    #[test]
    fn an_unknown_name_gets_the_nearest_setting() {
        let names = ["stats", "stats_file", "cache_bytes", "limit_bytes"];
        let of = |line: &str| corrected(&format!("heapsmith: {line} is unknown; X lists"), &names);
        assert_eq!(
            of("HEAPSMITH_STATSFILE"),
            "heapsmith: HEAPSMITH_STATSFILE is unknown, did you mean 'HEAPSMITH_STATS_FILE'?"
        );
        assert_eq!(
            of("hs_settings: cache_bites"),
            "heapsmith: hs_settings: cache_bites is unknown, did you mean 'cache_bytes'?"
        );
        assert_eq!(
            of("HEAPSMITH_CACHE"),
            "heapsmith: HEAPSMITH_CACHE is unknown, did you mean 'HEAPSMITH_CACHE_BYTES'?"
        );
        for unlike in ["hs_settings: zzz", "HEAPSMITH_ZZZZZZZZZZ", "HEAPSMITH_"] {
            assert_eq!(of(unlike), format!("heapsmith: {unlike} is unknown; X lists"));
        }
    }

    #[test]
    fn rows_have_three_columns() {
        let row = "  stats_file   /a b/c  HEAPSMITH_STATS_FILE";
        assert_eq!(columns(row).unwrap(), ["stats_file", "/a b/c", "HEAPSMITH_STATS_FILE"]);
        assert_eq!(columns("  reserve      256G         default").unwrap()[1], "256G");
        assert!(columns("word").is_none());
    }
}
