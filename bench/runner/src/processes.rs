//! `heapsmith bench heap`: the lab's workloads, each run a whole process under each contender.

use std::cell::RefCell;
use std::time::Duration;

use anyhow::Result;

use super::manifest::{Case, Manifest};
use super::{Setting, conclude, summary, tables};
use crate::contender::{GLIBC, Installed};
use crate::error::environment;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::launch::{Ended, Exit, Launcher, Output};
use crate::metric::{Metric, OF_A_RUN};
use crate::place::Lab;
use crate::progress::{Progress, whole_seconds};
use crate::prove::{preloads, prove};
use crate::record::{self, Failed};
use crate::results::Results;
use crate::round::{Entrant, run_rounds};
use crate::row::Row;

const SUITE: &str = "heap";
const ROUNDS: usize = 11;
const QUICK_ROUNDS: usize = 6;
/// What a suite should take at most.
const LIMIT: Duration = Duration::from_secs(20 * 60);
const QUICK_LIMIT: Duration = Duration::from_secs(2 * 60);
/// No workload comes near it; an allocator that hangs should not hang the suite.
const TIMEOUT: Duration = Duration::from_secs(300);

pub fn run(setting: Setting) -> Result<u8> {
    let Setting { args, lab, chosen, files } = setting;
    let manifest = Manifest::load()?;
    let cases = manifest.cases(&lab, &args.workload, &args.threads, args.quick)?;
    let rounds = args.rounds.unwrap_or(if args.quick { QUICK_ROUNDS } else { ROUNDS });
    let interrupt = Interrupt::listen()?;
    let runs = cases.len() * chosen.len() * (rounds + 1);
    let bench = Bench { lab: &lab, interrupt: &interrupt, rounds, progress: Progress::new(runs) };

    let mut results = Results::new();
    let mut fields = bench.prove_all(cases, &chosen, &mut results)?;
    bench.tell_duration(&fields, if args.quick { QUICK_LIMIT } else { LIMIT });
    let mut rows = Vec::new();
    for field in &mut fields {
        if interrupt.asked() {
            break;
        }
        rows.extend(bench.measure(field, &mut results)?);
    }
    bench.progress.finish();
    if rows.is_empty() && !interrupt.asked() && results.failures.is_empty() {
        return Err(environment("no workload could be measured"));
    }
    record_rows(&rows, &mut results);
    let page = results.write(files)?;
    tables::print(&rows, &[Metric::Wall, Metric::PeakRss])?;
    summary::print(&rows)?;
    let next = match (interrupt.asked(), args.quick) {
        (false, true) => "heapsmith bench heap --json heap.json   (the whole suite)",
        _ => "heapsmith bench instructions",
    };
    conclude(&results, page, interrupt.asked(), next)
}

struct Bench<'a> {
    lab: &'a Lab,
    interrupt: &'a Interrupt,
    rounds: usize,
    progress: Progress,
}

/// One case with the contenders that can run it.
struct Field {
    case: Case,
    entrants: Vec<Entrant>,
    /// The check value all runs must print: that of the first contender, glibc unless chosen away.
    check: RefCell<Option<String>>,
    /// What one round takes, from the proof runs.
    round_s: f64,
}

impl Bench<'_> {
    fn launcher(&self) -> Launcher<'_> {
        Launcher {
            lab: self.lab,
            interrupt: self.interrupt,
            input: None,
            output: Output::Capture,
            timeout: Some(TIMEOUT),
        }
    }

    /// The unmeasured runs: every allocator proven in every program, and the time foretold.
    fn prove_all(
        &self,
        cases: Vec<Case>,
        chosen: &[Installed],
        results: &mut Results,
    ) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        for case in cases {
            let mut field =
                Field { case, entrants: Vec::new(), check: RefCell::default(), round_s: 0.0 };
            for installed in chosen {
                let (workload, name) = (&field.case.workload, installed.name());
                self.progress.step(&format!("warming up {workload}, {name}"));
                let proof = prove(&self.launcher(), &field.case.program, installed)?;
                if self.interrupt.asked() {
                    return Ok(fields);
                }
                self.progress.done_one();
                match field.accept(name, &proof.ended).and(proof.loaded) {
                    Ok(identity) => {
                        results.identify(&identity);
                        field.round_s += proof.ended.costs.wall_s;
                        field.entrants.push(Entrant::new(installed.clone(), identity));
                    }
                    Err(failure) => results.failures.push(field.failed(failure)),
                }
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn tell_duration(&self, fields: &[Field], limit: Duration) {
        let seconds: f64 = fields.iter().map(|field| field.round_s).sum::<f64>();
        let left = Duration::from_secs_f64(seconds * self.rounds as f64);
        let what = format!("{} rows, {} rounds", fields.len(), self.rounds);
        self.progress.foretell(&what, left);
        if left > limit {
            self.progress.note(&format!(
                "that is longer than the {} a suite should take: fewer --rounds, --workload or \
                 --quick shorten it",
                whole_seconds(limit)
            ));
        }
    }

    fn measure(&self, field: &mut Field, results: &mut Results) -> Result<Option<Row>> {
        let launcher = self.launcher();
        let mut entrants = std::mem::take(&mut field.entrants);
        let run =
            |installed: &Installed| launcher.run(&field.case.program, &preloads(installed, None));
        let accept = |name: &str, ended: &Ended| field.accept(name, ended);
        run_rounds(&mut entrants, self.rounds, self.interrupt, &self.progress, run, accept)?;
        let failures = entrants.iter().filter_map(|entrant| entrant.failure.clone());
        results.failures.extend(failures.map(|failure| field.failed(failure)));
        let series: Vec<_> = entrants.iter().filter_map(Entrant::series).collect();
        let Case { workload, params, .. } = &field.case;
        let (workload, params) = (workload.clone(), params.clone());
        Ok((!series.is_empty()).then_some(Row { suite: SUITE, workload, params, series }))
    }
}

impl Field {
    /// A run counts when it ends well and prints the check value every other run prints.
    fn accept(&self, name: &str, ended: &Ended) -> Result<(), Failure> {
        if ended.exit != Exit::Code(0) {
            return Err(Failure::of_run(name, ended));
        }
        if !self.case.check {
            return Ok(());
        }
        let printed = ended.stdout.lines().find_map(|line| line.strip_prefix("check "));
        let Some(printed) = printed.map(str::trim) else {
            return Err(Failure::of_check(name, "printed no check value".to_string(), ended));
        };
        let mut check = self.check.borrow_mut();
        let expected = check.get_or_insert_with(|| printed.to_string());
        if printed == expected {
            return Ok(());
        }
        let why = format!("check value {printed}, not {expected} as before");
        Err(Failure::of_check(name, why, ended))
    }

    fn failed(&self, failure: Failure) -> Failed {
        let Case { workload, params, .. } = &self.case;
        Failed { suite: SUITE, workload: workload.clone(), params: params.clone(), failure }
    }
}

/// Samples, ratios against glibc, and ratios against each row's best peer where that is another.
fn record_rows(rows: &[Row], results: &mut Results) {
    for row in rows {
        results.records.extend(record::samples(row, &results.provenance));
        results.records.extend(record::ratios(row, GLIBC));
        for metric in OF_A_RUN {
            let Some(best) = row.best_of(&summary::PEERS, metric) else {
                continue;
            };
            if best.name() == GLIBC {
                continue;
            }
            let others = row.series.iter().filter(|series| series.name() != best.name());
            let ratios = others.filter_map(|series| record::ratio(row, series, best, metric));
            results.records.extend(ratios);
        }
    }
}
