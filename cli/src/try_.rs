//! `heapsmith try`: real runs of one program under every allocator.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Map;
use tempfile::NamedTempFile;

use crate::args::TryArgs;
use crate::{next, table};
use heapsmith_measure::contender::{Installed, Pinned, choose};
use heapsmith_measure::error::{INTERRUPTED, OK, REGRESSION, environment};
use heapsmith_measure::failure::Failure;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Ended, Exit, Launcher, Output};
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::Progress;
use heapsmith_measure::prove::{preloads, prove};
use heapsmith_measure::record::{self, Failed};
use heapsmith_measure::results::{Files, Results};
use heapsmith_measure::round::{Entrant, run_rounds};
use heapsmith_measure::row::Row;

const SUITE: &str = "try";

pub fn run(args: &TryArgs) -> Result<u8> {
    let program = Program::find(&args.program)?;
    program.require_preloadable()?;
    let lab = Lab::find()?;
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    let (chosen, absent) = choose(&pinned, &args.chosen.alloc, args.baseline.name(), &beside)?;
    let files = Files::prepare(args.json.as_ref(), Some(&args.report))?;
    let spool = args.input.as_deref().map(spool_input).transpose()?;
    let interrupt = Interrupt::listen()?;
    let session = Session {
        args,
        program: &program,
        launcher: Launcher {
            lab: &lab,
            interrupt: &interrupt,
            input: spool.as_ref().map(Input::path),
            output: if args.show_output { Output::Show } else { Output::Discard },
            timeout: args.timeout,
            service: None,
        },
        progress: Progress::new(chosen.len() * (args.rounds + args.warmup.max(1))),
        expected: Cell::new((!args.ignore_failure).then_some(Exit::Code(0))),
    };
    for line in absent {
        session.progress.note(&format!("left out: {line}"));
    }
    session.measure(chosen, files)
}

/// The file every run gets as stdin.
enum Input {
    Named(PathBuf),
    Copied(NamedTempFile),
}

impl Input {
    fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Copied(file) => file.path(),
        }
    }
}

fn spool_input(path: &Path) -> Result<Input> {
    if path != Path::new("-") {
        std::fs::File::open(path).map_err(|error| {
            heapsmith_measure::error::usage(format!("{}: {error}", path.display()))
        })?;
        return Ok(Input::Named(path.to_path_buf()));
    }
    let mut copy = NamedTempFile::new().context("a file for the copy of stdin")?;
    io::copy(&mut io::stdin(), &mut copy).context("copying stdin")?;
    Ok(Input::Copied(copy))
}

struct Session<'a> {
    args: &'a TryArgs,
    program: &'a Program,
    launcher: Launcher<'a>,
    progress: Progress,
    /// How the program should end; with --ignore-failure, as it did first.
    expected: Cell<Option<Exit>>,
}

impl Session<'_> {
    fn measure(&self, chosen: Vec<Installed>, files: Files) -> Result<u8> {
        let mut results = Results::new(&["heapsmith"]);
        let mut entrants = self.prove_all(chosen, &mut results)?;
        if entrants.is_empty() && !self.interrupted() {
            self.progress.finish();
            return Err(self.nothing_worked(&results.failures));
        }
        for _ in 1..self.args.warmup {
            self.warm_up(&mut entrants)?;
        }
        let run =
            |installed: &Installed| self.launcher.run(self.program, &preloads(installed, None));
        let accept = |name: &str, ended: &Ended| self.accept(name, ended);
        let interrupt = self.launcher.interrupt;
        run_rounds(&mut entrants, self.args.rounds, interrupt, &self.progress, run, accept)?;
        self.progress.finish();
        let failures = entrants.iter().filter_map(|entrant| entrant.failure.clone());
        results.failures.extend(failures.map(|failure| self.failed(failure)));
        let row = self.row(&entrants);
        self.report(&row, results, files)
    }

    /// The proof runs, one per contender: a failing contender takes no part in the rounds.
    fn prove_all(&self, chosen: Vec<Installed>, results: &mut Results) -> Result<Vec<Entrant>> {
        let mut entrants = Vec::new();
        let mut round_s = 0.0;
        for installed in chosen {
            self.progress.step(&format!("checking that {} loads", installed.name()));
            let proof = prove(&self.launcher, self.program, &installed)?;
            if self.interrupted() {
                break;
            }
            self.progress.done_one();
            for other in proof.elsewhere {
                let (name, other) = (installed.name(), other.display());
                self.progress
                    .note(&format!("{name}: a process it starts takes malloc from {other}"));
            }
            // A crash while loading is the program's failure, not a preload that was ignored.
            let sound = self.accept(installed.name(), &proof.ended);
            match sound.and(proof.loaded) {
                Ok(identity) => {
                    results.identify(&identity);
                    round_s += proof.ended.costs.wall_s;
                    entrants.push(Entrant::new(installed, identity));
                }
                Err(failure) => results.failures.push(self.failed(failure)),
            }
        }
        let left_rounds = self.args.rounds + self.args.warmup.saturating_sub(1);
        let what = format!("{} allocators, {} rounds", entrants.len(), self.args.rounds);
        if !entrants.is_empty() && !self.interrupted() {
            let left = Duration::from_secs_f64(round_s * left_rounds as f64);
            self.progress.foretell(&what, left);
        }
        Ok(entrants)
    }

    fn warm_up(&self, entrants: &mut [Entrant]) -> Result<()> {
        for entrant in entrants {
            if self.interrupted() {
                return Ok(());
            }
            self.progress.step(&format!("warm-up, {}", entrant.identity.name));
            self.launcher.run(self.program, &preloads(&entrant.installed, None))?;
            self.progress.done_one();
        }
        Ok(())
    }

    fn accept(&self, name: &str, ended: &Ended) -> Result<(), Failure> {
        if self.expected.get().is_none() && !matches!(ended.exit, Exit::TimedOut | Exit::Stopped) {
            self.expected.set(Some(ended.exit));
        }
        if self.expected.get() == Some(ended.exit) {
            return Ok(());
        }
        Err(Failure::of_run(name, ended))
    }

    fn interrupted(&self) -> bool {
        self.launcher.interrupt.asked()
    }

    fn nothing_worked(&self, failures: &[Failed]) -> anyhow::Error {
        let program = self.program.command_line();
        let failures: Vec<&Failure> = failures.iter().map(|failed| &failed.failure).collect();
        let Some(first) = failures.first() else {
            return environment("nothing was run");
        };
        let alike = failures.iter().all(|failure| failure.why == first.why);
        if !alike {
            let each: Vec<_> = failures.iter().map(|failure| failure.line()).collect();
            return environment(format!("{program} fails everywhere: {}", each.join("; ")));
        }
        let said = first.stderr_tail.lines().next_back().unwrap_or_default();
        let said = if said.is_empty() { String::new() } else { format!(" and says: {said}") };
        let hint = match (first.exit, self.args.ignore_failure) {
            (Some(_), false) => "; --ignore-failure measures it all the same",
            _ => "",
        };
        let why = &first.why;
        environment(format!("{program} fails under every allocator ({why}){said}{hint}"))
    }

    fn failed(&self, failure: Failure) -> Failed {
        let workload = self.program.short_name();
        Failed { suite: SUITE.to_string(), workload, params: Map::new(), failure }
    }

    fn row(&self, entrants: &[Entrant]) -> Row {
        Row {
            suite: SUITE.to_string(),
            workload: self.program.short_name(),
            params: Map::new(),
            series: entrants.iter().filter_map(Entrant::series).collect(),
        }
    }

    /// The requested baseline, or the first contender with results if the baseline has none.
    fn baseline<'r>(&self, row: &'r Row) -> Option<&'r str> {
        let found = row.named(self.args.baseline.name()).or(row.series.first());
        found.map(|series| series.name())
    }

    fn report(&self, row: &Row, mut results: Results, files: Files) -> Result<u8> {
        let Some(baseline) = self.baseline(row) else {
            if self.interrupted() {
                eprintln!("heapsmith: interrupted before the first measured run");
                return Ok(INTERRUPTED);
            }
            return Err(self.nothing_worked(&results.failures));
        };
        results.records = record::samples(row, &results.provenance);
        results.records.extend(record::ratios(row, baseline));
        let page = results.write(files)?;
        let mut out = io::stdout().lock();
        let failures: Vec<Failure> =
            results.failures.iter().map(|failed| failed.failure.clone()).collect();
        table::print(&mut out, row, baseline, &failures)?;
        if let Some(page) = page {
            writeln!(out, "\npage: {}", page.canonicalize().unwrap_or(page).display())?;
        }
        writeln!(out, "next: {}", next::after_try(self.args, row, baseline, &failures))?;
        Ok(match (self.interrupted(), results.failures.is_empty()) {
            (true, _) => INTERRUPTED,
            (false, true) => OK,
            (false, false) => REGRESSION,
        })
    }
}
