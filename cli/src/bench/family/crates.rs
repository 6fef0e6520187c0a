//! What the crate's arenas and scopes should reach among their like, and the instructions they take.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use serde_json::Map;

use super::targets::{Peer, Target, at_most};
use crate::bench::inlined::{Profiles, print_most};
use crate::bench::programs::Player;
use crate::metric::Metric;
use crate::row::Row;

/// Counted by callgrind: an allocation of four bytes.
pub const COUNTED: &str = "alloc-u32";
/// Each has a function of its name in the program `rust-inlined`.
pub const CONTENDERS: [&str; 6] =
    ["heapsmith-scope", "heapsmith-arena", "bumpalo", "bump-scope", "typed-arena", "blink-alloc"];

const OWN: [&str; 2] = ["heapsmith-scope", "heapsmith-arena"];
const PEERS: Peer = Peer::BestOf(&["bumpalo", "bump-scope", "typed-arena", "blink-alloc"]);

const fn of_peers(own: &'static str, metric: Metric) -> Target {
    let best = at_most(1.00, own, "", metric, |row| row.workload != COUNTED);
    Target { peer: PEERS, ..best }
}

const fn of_box(most: f64, includes: fn(&Row) -> bool) -> Target {
    let share = at_most(most, "heapsmith-scope", "box-glibc", Metric::Alloc, includes);
    Target { or_of_limit: Some(1.25), ..share }
}

pub const RUST: &[Target] = &[
    of_peers("heapsmith-scope", Metric::Alloc),
    of_peers("heapsmith-scope", Metric::Iterate),
    of_peers("heapsmith-scope", Metric::Drop),
    of_peers("heapsmith-scope", Metric::Wall),
    of_peers("heapsmith-arena", Metric::Alloc),
    of_peers("heapsmith-arena", Metric::Wall),
    of_box(0.15, |row| row.workload == "objects-64-trivial"),
    of_box(0.26, |row| row.workload == "objects-64-drop"),
];

/// What an allocation compiled into its caller takes.
pub fn count(program: &Path, suite: &'static str, players: &[&Player]) -> Result<Row> {
    let profiles = Profiles::take(program, &[])?;
    let series = players
        .iter()
        .map(|player| profiles.series(player.identity.clone(), &player.name().replace('-', "_")));
    let series = series.collect::<Result<_>>()?;
    Ok(Row { suite, workload: COUNTED.to_string(), params: Map::new(), series })
}

pub fn print_counted(rows: &[Row]) -> Result<()> {
    let mut out = io::stdout().lock();
    for row in rows.iter().filter(|row| row.workload == COUNTED) {
        let own: Vec<_> = OWN.iter().filter_map(|name| row.named(name)).collect();
        print_most(&mut out, &OWN.join(" and "), &own)?;
        let median = |name| row.named(name)?.median(Metric::Instructions);
        let Some(most) = median("bump-scope") else { continue };
        for (name, found) in OWN.iter().filter_map(|name| Some((name, median(name)?))) {
            let judged = if found <= most { "met" } else { "missed" };
            writeln!(
                out,
                "{name}: {found:.1} instructions, target ≤ bump-scope's {most:.1} {judged}"
            )?;
        }
    }
    Ok(())
}
