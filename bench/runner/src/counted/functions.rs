//! Instructions and branches of operations that are compiled into their callers.
//!
//! The program has a function for each, which holds nothing else. The cost of an empty function is
//! taken off.

use std::path::Path;

use anyhow::Result;
use heapsmith_measure::callgrind::self_costs;
use heapsmith_measure::error::environment;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::prove::Identity;
use heapsmith_measure::results::Results;
use heapsmith_measure::row::Series;

use super::valgrind::Valgrind;
use crate::bench::Bench;
use crate::manifest::Counted;

const EVENTS: [(Metric, &str); 2] = [(Metric::Instructions, "Ir"), (Metric::Branches, "Bc")];

/// The cost of a call of each chosen contender's function, in each build.
pub fn count(
    bench: &Bench,
    counted: &Counted,
    size: Option<u64>,
    results: &mut Results,
) -> Result<Vec<Series>> {
    let chosen = bench.chosen()?;
    let is_chosen = |name: &str| chosen.iter().any(|one| one.name == *name);
    let mut all = Vec::new();
    for side in &bench.sides {
        let program = side.program(&counted.program)?;
        let profiles = Profiles::take(&program, counted, size)?;
        for (name, function) in counted.functions.iter().filter(|(name, _)| is_chosen(name)) {
            let identity = Identity {
                name: side.label(name),
                version: env!("CARGO_PKG_VERSION").to_string(),
                library: program.clone(),
                loaded: true,
                settings: Vec::new(),
            };
            results.identify(&identity);
            all.push(profiles.series(identity, function)?);
        }
    }
    Ok(all)
}

/// Two runs of a program with different counts.
struct Profiles<'a> {
    counted: &'a Counted,
    few: String,
    many: String,
}

impl<'a> Profiles<'a> {
    fn take(program: &Path, counted: &'a Counted, size: Option<u64>) -> Result<Self> {
        let [few, many] = counted.counts.map(|count| {
            let mut valgrind = Valgrind::new()?;
            let words = counted.words_of(size).into_iter().chain([count.to_string()]);
            valgrind.command.arg("--branch-sim=yes").arg(program).args(words);
            valgrind.command.env_remove("LD_PRELOAD");
            valgrind.run(&program.display().to_string())
        });
        Ok(Self { counted, few: few?, many: many? })
    }

    /// The cost of one call of a function, less that of an empty one.
    fn series(&self, identity: Identity, function: &str) -> Result<Series> {
        let mut values = std::collections::BTreeMap::new();
        for (metric, event) in EVENTS {
            let empty = self.counted.empty.as_ref();
            let empty = empty.map_or(Ok(0.0), |empty| self.per_call(event, empty))?;
            values.insert(metric, vec![Some(self.per_call(event, function)? - empty)]);
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
        let [fewer, more] = self.counted.counts;
        Ok((many as f64 - few as f64) / (more - fewer) as f64)
    }
}

/// callgrind writes `void* arena_allocate<16ul>(…)`.
fn is_function(name: &str, function: &str) -> bool {
    let plain = name.split(['<', '(']).next().unwrap_or_default();
    plain.split(' ').next_back() == Some(function)
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
    fn costs_that_grow_with_the_count_are_counted() {
        let counted: Counted =
            toml::from_str("workload = 'w'\nprogram = 'p'\ncounts = [1000, 8000]").expect("good");
        let profile = |ir: u64| format!("events: Ir Bc\nob=x\nfn=nothing(int)\n1 {ir} 5\n");
        let (few, many) = (profile(100), profile(100 + 3 * 7000));
        let profiles = Profiles { counted: &counted, few: few.clone(), many };
        assert_eq!(profiles.per_call("Ir", "nothing").expect("good"), 3.0);
        assert_eq!(profiles.per_call("Bc", "nothing").expect("good"), 0.0);
        let same = Profiles { counted: &counted, few: few.clone(), many: few };
        assert!(same.per_call("Ir", "nothing").is_err());
    }
}
