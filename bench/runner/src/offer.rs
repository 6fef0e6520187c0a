//! The cases that each build can run, and those of them that are wanted.

use anyhow::Result;
use heapsmith_measure::error::usage;
use heapsmith_measure::row::label;

use crate::bench::{Bench, Side, require_known};
use crate::list::Listed;
use crate::manifest::{Case, Contender, Kind};
use crate::rounds::Call;

/// The cases that the programs of one build can run.
pub struct Offer<'a> {
    pub side: &'a Side,
    cases: Vec<Case>,
    /// Of a program with all contenders.
    listed: Option<Listed>,
}

impl<'a> Offer<'a> {
    pub fn of(bench: &Bench, side: &'a Side) -> Result<Self> {
        let (manifest, program) = (bench.manifest, bench.program());
        if manifest.kind == Kind::Programs {
            let mut cases = manifest.cases(bench.args.quick);
            let has = |name: &str| side.path(&program.replace("{contender}", name)).is_file();
            for case in cases.iter_mut().filter(|_| bench.is_comparison()) {
                case.contenders.retain(|name| has(side.called(name, has)));
            }
            return Ok(Self { side, cases, listed: None });
        }
        let listed = Listed::ask(&side.program(program)?)?;
        for name in listed.unknown(&manifest.names(), side) {
            eprintln!("left out: {name}: suite.toml has no such contender");
        }
        Ok(Self { side, cases: listed.cases(&manifest.names(), side), listed: Some(listed) })
    }

    /// The name that the build has for the contender, and how its program is called.
    pub fn call(&self, bench: &Bench, contender: &Contender) -> Result<(String, Call)> {
        let of = |name: &str| bench.program().replace("{contender}", name);
        let called = self.side.called(&contender.name, |name| match &self.listed {
            Some(listed) => listed.has(name),
            None => self.side.path(&of(name)).is_file(),
        });
        let words = if self.listed.is_some() { vec![called.to_string()] } else { Vec::new() };
        let program = self.side.program(&of(called))?;
        let preload = self.side.preload(contender)?;
        Ok((called.to_string(), Call { program, words, preload }))
    }

    pub fn first_of(&self, contender: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.contenders.iter().any(|name| name == contender))
    }

    fn runs(&self, case: &Case, contender: &str) -> bool {
        let own = self.cases.iter().find(|own| own.is_same_as(case));
        own.is_some_and(|own| own.contenders.iter().any(|name| name == contender))
    }
}

/// The cases that the command line selects, with the chosen contenders that every build runs; and
/// a line for each that only one build runs.
pub fn shared(
    bench: &Bench,
    offers: &[Offer],
    chosen: &[&Contender],
) -> Result<(Vec<Case>, Vec<String>)> {
    let mut cases = union(offers);
    require_workloads(bench, &cases)?;
    cases.retain(|case| bench.wants(&case.workload, case.threads));
    cases.retain(|case| !(case.exact && bench.is_further()));
    let mut alone = Vec::new();
    for case in &mut cases {
        let is_chosen = |name: &String| chosen.iter().any(|one| one.name == *name);
        case.contenders.retain(is_chosen);
        let in_all = |name: &String| offers.iter().all(|offer| offer.runs(case, name));
        let (shared, single): (Vec<_>, Vec<_>) = case.contenders.iter().cloned().partition(in_all);
        for name in single {
            let build = if offers[0].runs(case, &name) { "this" } else { "the other" };
            let row = label(&case.workload, &case.params);
            alone.push(format!("{row}, {name}: only in {build} build"));
        }
        case.contenders = shared;
    }
    cases.retain(|case| !case.contenders.is_empty());
    let counts = bench.manifest.counted.iter().any(|one| bench.wants(&one.workload, None));
    if cases.is_empty() && alone.is_empty() && !counts && !bench.is_further() {
        return Err(usage("no such contender runs such a workload with that many threads"));
    }
    Ok((cases, alone))
}

/// The cases of all builds, with the contenders that any of them runs.
fn union(offers: &[Offer]) -> Vec<Case> {
    let mut all: Vec<Case> = Vec::new();
    for case in offers.iter().flat_map(|offer| &offer.cases) {
        match all.iter_mut().find(|seen| seen.is_same_as(case)) {
            None => all.push(case.clone()),
            Some(seen) => {
                let is_new = |name: &&String| !seen.contenders.contains(name);
                let new: Vec<String> = case.contenders.iter().filter(is_new).cloned().collect();
                seen.contenders.extend(new);
            }
        }
    }
    all
}

/// Refuses names of --workload that are neither of `cases` nor counted.
pub fn require_workloads(bench: &Bench, cases: &[Case]) -> Result<()> {
    let counted = bench.manifest.counted.iter().map(|counted| counted.workload.as_str());
    let mut known: Vec<&str> = Vec::new();
    for workload in cases.iter().map(|case| case.workload.as_str()).chain(counted) {
        if !known.contains(&workload) {
            known.push(workload);
        }
    }
    require_known("workload", &bench.args.workload, &known)
}
