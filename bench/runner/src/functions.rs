//! Instructions and branches of allocations that are compiled into their callers.
//!
//! The program `inlined` has a function for each, which holds nothing else. Two runs with different
//! counts are compared, as for the paths of malloc, and the cost of an empty function is taken off.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::{Map, json};

use super::callgrind::self_costs;
use crate::error::environment;
use crate::metric::Metric;
use crate::place::Lab;
use crate::prove::Identity;
use crate::row::{Row, Series};

pub const WORKLOAD: &str = "allocate";
const SIZES: [u32; 3] = [16, 64, 256];
const COUNTS: [u64; 2] = [1 << 10, 1 << 13];
const EMPTY: &str = "nothing";
/// What an allocation of a known size may take: instructions and branches.
const MOST: [(Metric, f64); 2] = [(Metric::Instructions, 10.0), (Metric::Branches, 1.0)];
const EVENTS: [(Metric, &str); 2] = [(Metric::Instructions, "Ir"), (Metric::Branches, "Bc")];

/// A row for each size, with arenas and scopes.
pub fn rows(lab: &Lab, suite: &'static str) -> Result<Vec<Row>> {
    let program = lab.program("inlined")?;
    let row = |size: &u32| {
        let profiles = Profiles::take(&program, &[size.to_string()])?;
        let series = ["arena", "scope"].map(|name| series(&program, name, &profiles));
        let params = Map::from_iter([("size".to_string(), json!(size))]);
        let series = series.into_iter().collect::<Result<_>>()?;
        Ok(Row { suite, workload: WORKLOAD.to_string(), params, series })
    };
    SIZES.iter().map(row).collect()
}

fn series(program: &Path, name: &str, profiles: &Profiles) -> Result<Series> {
    let identity = Identity {
        name: name.to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        library: program.to_path_buf(),
        loaded: true,
    };
    profiles.series(identity, &format!("{name}_allocate"))
}

/// Two runs of a program with different counts, whose functions hold one allocation each.
pub struct Profiles {
    few: String,
    many: String,
}

impl Profiles {
    /// The program's last argument is the count, after the given ones.
    pub fn take(program: &Path, arguments: &[String]) -> Result<Self> {
        let [few, many] = COUNTS.map(|count| profile(program, arguments, count));
        Ok(Self { few: few?, many: many? })
    }

    /// What one call of a function costs, without what an empty one does.
    pub fn series(&self, identity: Identity, function: &str) -> Result<Series> {
        let mut values = std::collections::BTreeMap::new();
        for (metric, event) in EVENTS {
            let value = self.per_call(event, function)? - self.per_call(event, EMPTY)?;
            values.insert(metric, vec![Some(value)]);
        }
        Ok(Series::of_values(identity, values))
    }

    /// The difference of the runs in functions of that name, whatever their arguments.
    fn per_call(&self, event: &str, function: &str) -> Result<f64> {
        let spent = |profile: &str| -> Result<u64> {
            let costs = self_costs(profile, event)?;
            let named = costs.iter().filter(|((_, name), _)| is_function(name, function));
            Ok(named.map(|(_, cost)| cost).sum())
        };
        let (few, many) = (spent(&self.few)?, spent(&self.many)?);
        if event == "Ir" && many == few {
            return Err(environment(format!("callgrind saw no instruction of {function}")));
        }
        Ok((many - few) as f64 / (COUNTS[1] - COUNTS[0]) as f64)
    }
}

/// callgrind writes `void* arena_allocate<16ul>(…)`.
fn is_function(name: &str, function: &str) -> bool {
    let plain = name.split(['<', '(']).next().unwrap_or_default();
    plain.split(' ').next_back() == Some(function)
}

fn profile(program: &Path, arguments: &[String], count: u64) -> Result<String> {
    let file = tempfile::NamedTempFile::new().context("a file for callgrind")?;
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(file.path());
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--branch-sim=yes", "--quiet"]).arg(out).arg(program);
    command.args(arguments).arg(count.to_string()).stdin(Stdio::null());
    let output = command.env_remove("LD_PRELOAD").output().context("running valgrind")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().next_back().unwrap_or_default();
        return Err(environment(format!("{} under valgrind: {last}", program.display())));
    }
    std::fs::read_to_string(file.path()).context("callgrind's profile")
}

pub fn print_targets(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    let of_sizes = rows.iter().filter(|row| row.workload == WORKLOAD);
    let all: Vec<&Series> = of_sizes.flat_map(|row| &row.series).collect();
    print_most(out, "arena and scope", &all)
}

/// The most that one of several takes, against what it may take.
pub fn print_most(out: &mut dyn Write, names: &str, all: &[&Series]) -> Result<()> {
    for (metric, most) in MOST {
        let values = all.iter().filter_map(|series| series.median(metric));
        if let Some(found) = values.max_by(f64::total_cmp) {
            let judged = if found <= most { "met" } else { "missed" };
            let title = metric.title();
            writeln!(
                out,
                "{names}, allocate: at most {found:.1} {title}, target ≤ {most} {judged}"
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Functions by their names, and costs by their difference.
    use super::*;

    #[test]
    fn functions_are_known_with_their_arguments() {
        assert!(is_function("void* arena_allocate<16ul>(heapsmith::arena<>&)", "arena_allocate"));
        assert!(is_function("nothing(heapsmith::arena<int>&)", "nothing"));
        assert!(!is_function("run<arena_allocate>", "arena_allocate"));
    }

    #[test]
    fn what_grows_with_the_count_is_counted() {
        let calls = COUNTS[1] - COUNTS[0];
        let profile = |ir: u64| format!("events: Ir Bc\nob=x\nfn=nothing(int)\n1 {ir} 5\n");
        let profiles = Profiles { few: profile(100), many: profile(100 + 3 * calls) };
        assert_eq!(profiles.per_call("Ir", "nothing").expect("good"), 3.0);
        assert_eq!(profiles.per_call("Bc", "nothing").expect("good"), 0.0);
        let same = Profiles { few: profile(100), many: profile(100) };
        assert!(same.per_call("Ir", "nothing").is_err());
    }
}
