//! The subject of one run of the runner: the suite, the options, and one build or two.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::contender::{Installed, Pinned};
use heapsmith_measure::error::{environment, usage};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::row::Row;
use heapsmith_measure::suggest::did_you_mean;
use serde_json::Value;

use crate::args::Args;
use crate::manifest::{Case, Contender, Kind, Manifest, Role};
use crate::resume::Resume;

/// Follows the name of a contender of the other build.
const AGAINST: &str = " (against)";

pub struct Bench<'a> {
    pub args: &'a Args,
    pub manifest: &'a Manifest,
    pub lab: Lab,
    pub interrupt: Interrupt,
    /// This build, and with --against the other one.
    pub sides: Vec<Side>,
    /// The rows of earlier sittings, with --resume.
    pub resume: Option<Resume>,
    /// The rows to measure again, if not everything is measured for the first time.
    again: Option<Vec<Doubt>>,
    /// The further rounds of these rows, if they continue the first ones.
    further: Option<Further>,
}

/// Rounds that make intervals narrower.
#[derive(Clone, Copy, Debug)]
struct Further {
    rounds: usize,
    until: Instant,
}

/// A contender in a row that is to be measured again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    pub workload: String,
    pub threads: Option<u32>,
    pub contender: String,
}

/// One build whose programs and libraries are measured.
#[derive(Debug)]
pub struct Side {
    build: PathBuf,
    /// Where heapsmith's library is.
    beside: Vec<PathBuf>,
    suffix: &'static str,
    /// New name and old name of contenders.
    renamed: BTreeMap<String, String>,
}

/// The name of a contender of the other build in results.
pub fn against(contender: &str) -> String {
    contender.to_string() + AGAINST
}

pub fn is_against(label: &str) -> bool {
    label.ends_with(AGAINST)
}

impl Doubt {
    pub fn of(row: &Row, contender: &str) -> Self {
        let threads = row.params.get("threads").and_then(Value::as_u64);
        let threads = threads.and_then(|count| u32::try_from(count).ok());
        Self { workload: row.workload.clone(), threads, contender: contender.to_string() }
    }

    /// Whether the row comes from this case. Rows do not all say their number of threads, and some
    /// say 1 for a case without one.
    fn is_about(&self, workload: &str, threads: Option<u32>) -> bool {
        self.workload == workload && self.threads.is_none_or(|count| count == threads.unwrap_or(1))
    }
}

impl<'a> Bench<'a> {
    pub fn new(args: &'a Args, manifest: &'a Manifest) -> Result<Self> {
        let lab = Lab::find()?;
        let mut sides = vec![Side {
            build: lab.build().to_path_buf(),
            beside: place::beside(args.heapsmith.as_deref())?,
            suffix: "",
            renamed: old_names(manifest, &[]),
        }];
        if let Some(folder) = &args.against {
            sides.push(Side::other(folder, args, manifest)?);
        }
        Ok(Self {
            args,
            manifest,
            lab,
            interrupt: Interrupt::listen()?,
            sides,
            resume: resume_of(args, manifest)?,
            again: None,
            further: None,
        })
    }

    /// The same, for these rows alone.
    pub fn again(self, doubts: Vec<Doubt>) -> Self {
        Self { again: Some(doubts), ..self }
    }

    /// The same, for further rounds of these rows, none of which begins after `until`.
    pub fn further(self, doubts: Vec<Doubt>, rounds: usize, until: Instant) -> Self {
        Self { again: Some(doubts), further: Some(Further { rounds, until }), ..self }
    }

    /// Whether it only makes intervals narrower. Exact values are not measured then.
    pub fn is_further(&self) -> bool {
        self.further.is_some()
    }

    /// The time left for further rounds.
    pub fn left(&self) -> Option<Duration> {
        self.further.map(|further| further.until.saturating_duration_since(Instant::now()))
    }

    /// How long further rounds may take. Rounds of a given number are not followed by any.
    pub fn budget(&self) -> Duration {
        let [whole, quick] = self.manifest.budget_s;
        let usual = if self.args.quick { quick } else { whole };
        let fixed = self.args.rounds.map(|_| Duration::ZERO);
        self.args.budget.or(fixed).unwrap_or(Duration::from_secs(usual))
    }

    pub fn is_comparison(&self) -> bool {
        self.sides.len() > 1
    }

    /// The measured program of the suite, or its pattern for one contender.
    pub fn program(&self) -> &'a str {
        self.manifest.program.as_deref().unwrap_or_default()
    }

    /// The measured program of a case.
    pub fn program_of(&self, case: &Case) -> Result<PathBuf> {
        let named = case.program.clone().unwrap_or_default();
        match Path::new(&named).is_absolute() {
            true => Ok(PathBuf::from(named)),
            false => self.sides[0].program(&named),
        }
    }

    pub fn rounds(&self) -> usize {
        if let Some(further) = self.further {
            return further.rounds;
        }
        let Manifest { rounds, quick_rounds, .. } = self.manifest;
        self.args.rounds.unwrap_or(if self.args.quick { *quick_rounds } else { *rounds })
    }

    /// The contenders to run: those of --alloc; in a comparison, heapsmith's own; or else all.
    pub fn chosen(&self) -> Result<Vec<&'a Contender>> {
        let wanted = &self.args.alloc;
        require_known("contender", wanted, &self.manifest.names())?;
        let is_wanted = |one: &&Contender| match wanted.is_empty() {
            true => !self.is_comparison() || one.role == Some(Role::Own),
            false => wanted.contains(&one.name),
        };
        let is_wanted = |one: &&Contender| {
            let is_doubted = |doubts: &Vec<Doubt>| doubts.iter().any(|it| it.contender == one.name);
            is_wanted(one) && self.again.as_ref().is_none_or(is_doubted)
        };
        Ok(self.manifest.contenders.iter().filter(is_wanted).collect())
    }

    /// The allocators of lab/contenders.toml among `contenders`, in each build. Names the missing
    /// ones; it is an error if --alloc names them.
    pub fn allocators(&self, contenders: &[&Contender]) -> Result<Vec<Installed>> {
        let pinned = Pinned::load()?;
        let is_named = !self.args.alloc.is_empty();
        let here = |name: &str| {
            let one = contenders.iter().find(|one| one.name == name);
            one.is_some_and(|one| self.sides.iter().any(|side| side.find(&pinned, one).is_ok()))
        };
        let is_replaced = |one: &Contender| one.unless.as_deref().is_some_and(here);
        let (mut found, mut buildable) = (Vec::new(), Vec::new());
        for one in contenders.iter().filter(|one| is_named || !is_replaced(one)) {
            for side in &self.sides {
                match side.find(&pinned, one) {
                    Ok(installed) => found.push(installed),
                    Err(error) if is_named => return Err(error),
                    Err(_) if pinned.named(one.allocator())?.source.is_some() => {
                        buildable.push(one.name.as_str());
                    }
                    Err(error) => eprintln!("left out: {error}"),
                }
            }
        }
        buildable.dedup();
        if !buildable.is_empty() && !self.is_further() {
            let names = buildable.join(", ");
            eprintln!("left out: {names}: heapsmith peers install builds them");
        }
        Ok(found)
    }

    /// Whether --workload and --threads include it. A case without a number of threads has one.
    pub fn wants(&self, workload: &str, threads: Option<u32>) -> bool {
        let Args { workload: workloads, threads: counts, .. } = self.args;
        (workloads.is_empty() || workloads.iter().any(|name| name == workload))
            && (counts.is_empty() || counts.contains(&threads.unwrap_or(1)))
            && self
                .again
                .as_ref()
                .is_none_or(|doubts| doubts.iter().any(|doubt| doubt.is_about(workload, threads)))
    }
}

fn resume_of(args: &Args, manifest: &Manifest) -> Result<Option<Resume>> {
    let Some(path) = &args.resume else { return Ok(None) };
    if manifest.kind != Kind::Processes {
        let name = &manifest.name;
        return Err(usage(format!("--resume: {name} has no rows of whole processes: remove it")));
    }
    Ok(Some(Resume::open(path, &manifest.name)?))
}

impl Side {
    fn other(folder: &Path, args: &Args, manifest: &Manifest) -> Result<Self> {
        let places = [folder.join("build/release"), folder.to_path_buf()];
        let is_build =
            |place: &&PathBuf| place.join("lab").is_dir() || place.join("bench").is_dir();
        let Some(build) = places.iter().find(is_build) else {
            return Err(environment(format!(
                "{}: no build/release with programs: run ./dev build and ./dev bench {} there",
                folder.display(),
                manifest.name
            )));
        };
        let build = build.canonicalize()?;
        let renamed = old_names(manifest, &args.renamed);
        Ok(Self { beside: vec![build.clone()], build, suffix: AGAINST, renamed })
    }

    /// A build whose contender `new` was `old` before, for tests.
    #[cfg(test)]
    pub fn renaming(old: &str, new: &str) -> Self {
        let renamed = BTreeMap::from([(new.to_string(), old.to_string())]);
        Self { build: "/no/build".into(), beside: Vec::new(), suffix: AGAINST, renamed }
    }

    /// The contender's name in results.
    pub fn label(&self, contender: &str) -> String {
        contender.to_string() + self.suffix
    }

    /// The contender's allocator, under the contender's name in results.
    fn find(&self, pinned: &Pinned, one: &Contender) -> Result<Installed> {
        let mut installed = pinned.install(pinned.named(one.allocator())?, &self.beside)?;
        installed.contender.name = self.label(&one.name);
        Ok(installed)
    }

    /// The contender's name in this build: the new one if `has` knows it, or else the old one.
    pub fn called<'n>(&'n self, contender: &'n str, has: impl Fn(&str) -> bool) -> &'n str {
        match self.renamed.get(contender) {
            Some(old) if !has(contender) => old,
            _ => contender,
        }
    }

    /// The path of a program of this build.
    pub fn path(&self, program: &str) -> PathBuf {
        self.build.join(program)
    }

    pub fn program(&self, program: &str) -> Result<PathBuf> {
        let path = self.path(program);
        let found = path.canonicalize().ok().filter(|found| found.is_file());
        found.ok_or_else(|| {
            environment(format!("no {}: ./dev bench in its checkout makes it", path.display()))
        })
    }

    /// The library that a contender's program is run with.
    pub fn preload(&self, contender: &Contender) -> Result<Option<PathBuf>> {
        let Some(allocator) = &contender.preload else {
            return Ok(None);
        };
        let pinned = Pinned::load()?;
        Ok(pinned.install(pinned.named(allocator)?, &self.beside)?.preload)
    }
}

/// New name and old name, from the suite and from --renamed.
fn old_names(manifest: &Manifest, given: &[(String, String)]) -> BTreeMap<String, String> {
    let turned = |(old, new): (&String, &String)| (new.clone(), old.clone());
    let given = given.iter().map(|(old, new)| turned((old, new)));
    manifest.renamed.iter().map(turned).chain(given).collect()
}

/// The name of a contender without the mark of the other build.
pub fn base_name(label: &str) -> &str {
    label.strip_suffix(AGAINST).unwrap_or(label)
}

pub fn require_known(what: &str, names: &[String], known: &[&str]) -> Result<()> {
    let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let hint = did_you_mean(unknown, known);
    let all = known.join(", ");
    Err(usage(format!("no {what} is called '{unknown}'{hint}; there are {all}")))
}

#[cfg(test)]
mod tests {
    //! Names in two builds.
    use super::*;

    #[test]
    fn an_old_name_is_used_where_the_new_one_is_unknown() {
        let side = Side::renaming("old-pool", "pool");
        assert_eq!(side.called("pool", |name| name == "old-pool"), "old-pool");
        assert_eq!(side.called("pool", |_| true), "pool");
        assert_eq!(side.called("other", |_| false), "other");
        assert_eq!(base_name(&side.label("pool")), "pool");
        assert!(is_against(&against("pool")) && !is_against("pool"));
    }

    #[test]
    fn a_doubt_is_about_the_case_of_its_row() {
        let doubt = |threads| Doubt { workload: "w".into(), threads, contender: "c".into() };
        assert!(doubt(Some(2)).is_about("w", Some(2)) && !doubt(Some(2)).is_about("w", Some(1)));
        assert!(doubt(Some(1)).is_about("w", None) && doubt(None).is_about("w", Some(2)));
        assert!(!doubt(None).is_about("v", None));
    }

    #[test]
    fn unknown_names_are_refused_with_the_nearest() {
        let known = ["region", "talc"];
        assert!(require_known("contender", &["talc".into()], &known).is_ok());
        let error = require_known("contender", &["talk".into()], &known).expect_err("unknown");
        assert!(error.to_string().contains("did you mean 'talc'?"), "{error}");
    }
}
