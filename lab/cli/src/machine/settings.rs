//! The settings of heapsmith that are in force, as the library itself lists them.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use heapsmith_measure::suggest::did_you_mean;
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

/// The line of a mistake. Behind an unknown name, the setting that it may mean.
fn corrected(line: &str, names: &[&str]) -> String {
    let Some((begin, _)) = line.split_once(" is unknown; ") else { return line.to_string() };
    let given = begin.rsplit(' ').next().unwrap_or_default();
    let of_environment = |name: &&str| format!("HEAPSMITH_{}", name.to_uppercase());
    let known: Vec<String> = match given.starts_with("HEAPSMITH_") {
        true => names.iter().map(of_environment).collect(),
        false => names.iter().map(ToString::to_string).collect(),
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    match did_you_mean(given, &known) {
        none if none.is_empty() => line.to_string(),
        meant => format!("{begin} is unknown{meant}"),
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
        assert_eq!(of("hs_settings: zzz"), "heapsmith: hs_settings: zzz is unknown; X lists");
    }

    #[test]
    fn rows_have_three_columns() {
        let row = "  stats_file   /a b/c  HEAPSMITH_STATS_FILE";
        assert_eq!(columns(row).unwrap(), ["stats_file", "/a b/c", "HEAPSMITH_STATS_FILE"]);
        assert_eq!(columns("  reserve      256G         default").unwrap()[1], "256G");
        assert!(columns("word").is_none());
    }
}
