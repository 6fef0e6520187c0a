//! Suites of whole processes: each workload is a program that runs under each allocator.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::{environment, usage};
use heapsmith_measure::failure::Failure;
use heapsmith_measure::launch::{Ended, Exit, Launcher, Output};
use heapsmith_measure::metric::Metric;
use heapsmith_measure::others::Watch;
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::{Progress, counted, whole_seconds};
use heapsmith_measure::prove::{preloads, prove};
use heapsmith_measure::record::Failed;
use heapsmith_measure::results::Results;
use heapsmith_measure::round::{Entrant, run_rounds};
use heapsmith_measure::row::{Row, Series};

use crate::bench::{Bench, base_name, require_known};
use crate::manifest::Case;
use crate::noise;
use crate::reported::{self, Reported};
use crate::resting;
use crate::resume::Rows;

/// The rows of all wanted cases. Ends early when interrupted.
pub fn measure(bench: &Bench, results: &mut Results) -> Result<Vec<Row>> {
    let cases = wanted(bench)?;
    let chosen = bench.allocators(&bench.chosen()?)?;
    let resume = bench.resume.as_ref().filter(|_| !bench.is_further());
    let (rounds, quick) = (bench.rounds(), bench.args.quick);
    let mut rows = Rows::default();
    let mut ahead = Vec::new();
    for (at, case) in cases.into_iter().enumerate() {
        let kept = match resume {
            Some(it) => it.kept_of(&case, &chosen, rounds, quick, bench.program_of(&case)?),
            None => None,
        };
        match kept {
            Some(row) => rows.keep(at, row, results),
            None => ahead.push((at, case)),
        }
    }
    rows.tell_kept();
    let (places, cases): (Vec<usize>, Vec<Case>) = ahead.into_iter().unzip();
    let runs = cases.len() * chosen.len() * (rounds + 1);
    let processes = Processes { bench, progress: Progress::new(runs) };
    let mut fields = processes.prove_all(cases, &chosen, results)?;
    processes.tell_duration(&fields);
    for (at, field) in places.into_iter().zip(&mut fields) {
        if bench.interrupt.asked() {
            break;
        }
        let watch = Watch::begin();
        let Some(mut row) = processes.measure(field, results)? else { continue };
        noise::record(&mut row, watch.end());
        rows.add(at, row);
        if let Some(resume) = resume {
            resume.write(&rows.in_order(), results)?;
        }
    }
    processes.progress.finish();
    Ok(rows.in_order())
}

fn wanted(bench: &Bench) -> Result<Vec<Case>> {
    let cases = bench.manifest.cases(bench.args.quick);
    let mut known: Vec<&str> = cases.iter().map(|case| case.workload.as_str()).collect();
    known.dedup();
    require_known("workload", &bench.args.workload, &known)?;
    let wanted: Vec<Case> =
        cases.iter().filter(|case| bench.wants(&case.workload, case.threads)).cloned().collect();
    if wanted.is_empty() {
        return Err(usage("no workload runs with that number of threads"));
    }
    let (runnable, lacking): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|case| missing(case).is_none());
    let reasons: Vec<String> = lacking.iter().filter_map(missing).collect();
    if runnable.is_empty() {
        return Err(environment(reasons.join("; ")));
    }
    for reason in reasons.iter().filter(|_| !bench.is_further()) {
        eprintln!("left out: {reason}");
    }
    Ok(runnable)
}

/// The command or file that the case needs and that is not installed, and how to get it.
fn missing(case: &Case) -> Option<String> {
    let is_file = |name: &str| name.starts_with('/') && Path::new(name).exists();
    let is_there = |name: &str| is_file(name) || Program::find(&[name.into()]).is_ok();
    let (name, package) = case.needs.iter().find(|(name, _)| !is_there(name))?;
    Some(format!("{}: there is no {name}: apt-get install {package}", case.workload))
}

struct Processes<'a> {
    bench: &'a Bench<'a>,
    progress: Progress,
}

/// One case with the contenders that can run it.
struct Field<'a> {
    suite: &'a str,
    case: Case,
    program: Program,
    entrants: Vec<Entrant>,
    /// The check value that all runs must print: that of the first contender.
    check: RefCell<Option<String>>,
    /// The duration of the proof runs: one of each contender.
    proof_s: f64,
}

impl<'a> Processes<'a> {
    fn launcher(&self) -> Launcher<'_> {
        Launcher {
            lab: &self.bench.lab,
            interrupt: &self.bench.interrupt,
            input: None,
            output: Output::Capture,
            timeout: Some(Duration::from_secs(self.bench.manifest.timeout_s)),
            service: None,
        }
    }

    /// The unmeasured runs, which prove every allocator in every program.
    fn prove_all(
        &self,
        cases: Vec<Case>,
        chosen: &[Installed],
        results: &mut Results,
    ) -> Result<Vec<Field<'a>>> {
        let mut fields = Vec::new();
        for case in cases {
            let mut field = self.field(case)?;
            let taking_part = chosen.iter().filter(|one| {
                field.case.contenders.iter().any(|name| name == base_name(one.name()))
            });
            for installed in taking_part.collect::<Vec<_>>() {
                let (workload, name) = (&field.case.workload, installed.name());
                self.progress.step(&format!("warming up {workload}, {name}"));
                let proof = prove(&self.launcher(), &field.program, installed)?;
                if self.bench.interrupt.asked() {
                    return Ok(fields);
                }
                self.progress.done_one();
                match field.accept(name, &proof.ended).and(proof.loaded) {
                    Ok(identity) => {
                        results.identify(&identity);
                        field.proof_s += proof.ended.costs.wall_s;
                        field.entrants.push(Entrant::new(installed.clone(), identity));
                    }
                    Err(failure) => results.failures.push(field.failed(failure)),
                }
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn field(&self, case: Case) -> Result<Field<'a>> {
        let mut argv = vec![self.bench.program_of(&case)?.into_os_string()];
        if let Some(threads) = case.threads {
            argv.extend(["--threads".into(), OsString::from(threads.to_string())]);
        }
        argv.extend(case.arguments.iter().map(OsString::from));
        let program = Program::find(&argv)?;
        program.require_preloadable()?;
        let suite = self.bench.manifest.name.as_str();
        let (entrants, check) = (Vec::new(), RefCell::default());
        Ok(Field { suite, case, program, entrants, check, proof_s: 0.0 })
    }

    fn tell_duration(&self, fields: &[Field]) {
        let rounds = self.bench.rounds();
        let seconds = fields.iter().map(|field| {
            let rest_s = resting::round_s(field.proof_s, field.entrants.len());
            field.round_s() * rounds as f64 + rest_s * self.rests(field) as f64
        });
        let left = Duration::from_secs_f64(seconds.sum());
        if self.bench.is_further() || fields.is_empty() {
            return;
        }
        let what = format!("{}, {rounds} rounds", counted(fields.len(), "row"));
        self.progress.foretell(&what, left);
        let limits = self.bench.manifest.should_take_s;
        let limit = limits.map(|[whole, quick]| if self.bench.args.quick { quick } else { whole });
        if let Some(limit) = limit.map(Duration::from_secs).filter(|limit| left > *limit) {
            self.progress.note(&format!(
                "this suite should take at most {}: --rounds, --workload or --quick shorten it",
                whole_seconds(limit)
            ));
        }
    }

    /// The rounds of rests of a case. A short run of the suite has one, which shows the memory and
    /// judges nothing.
    fn rests(&self, field: &Field) -> usize {
        let args = self.bench.args;
        match field.case.rests {
            false => 0,
            true if args.quick && args.rounds.is_none() => 1,
            true => resting::ROUNDS,
        }
    }

    /// The rounds, or as many further ones as there is time for.
    fn fitting_rounds(&self, field: &Field) -> usize {
        let Some(left) = self.bench.left() else { return self.bench.rounds() };
        self.bench.rounds().min((left.as_secs_f64() / field.round_s().max(1e-9)) as usize)
    }

    fn measure(&self, field: &mut Field, results: &mut Results) -> Result<Option<Row>> {
        let launcher = self.launcher();
        let mut entrants = std::mem::take(&mut field.entrants);
        let run = |installed: &Installed| {
            repeat(field.case.repeat, || launcher.run(&field.program, &preloads(installed, None)))
        };
        let mut said: BTreeMap<String, Vec<Option<Reported>>> = BTreeMap::new();
        let accept = |name: &str, ended: &Ended| {
            let reported = field.accept(name, ended)?;
            said.entry(name.to_string()).or_default().push(Some(reported));
            Ok(())
        };
        let (rounds, interrupt) = (self.fitting_rounds(field), &self.bench.interrupt);
        run_rounds(&mut entrants, rounds, interrupt, &self.progress, run, accept)?;
        let failures = entrants.iter().filter_map(|entrant| entrant.failure.clone());
        results.failures.extend(failures.map(|failure| field.failed(failure)));
        let Case { workload, params, .. } = &field.case;
        let (suite, workload) = (field.suite.to_string(), workload.clone());
        let series = entrants.iter().filter_map(Entrant::series).collect();
        let mut row = Row { suite, workload, params: params.clone(), series };
        let reports = |name: &String| said.get(name).map(|runs| reported::by_round(runs));
        for entrant in &entrants {
            if let Some(values) = reports(&entrant.identity.name) {
                row.add(Series::of_values(entrant.identity.clone(), values));
            }
        }
        if field.case.rests {
            self.rest(field, &entrants, &mut row, results)?;
        }
        Ok((!row.series.is_empty()).then_some(row))
    }

    /// Adds the memory that each contender holds after a rest.
    fn rest(
        &self,
        field: &Field,
        entrants: &[Entrant],
        row: &mut Row,
        results: &mut Results,
    ) -> Result<()> {
        let rounds = self.rests(field).min(self.fitting_rounds(field));
        let well = entrants.iter().filter(|entrant| entrant.failure.is_none());
        let mut well: Vec<(&Entrant, Vec<Option<Reported>>)> =
            well.map(|it| (it, vec![])).collect();
        for round in 1..=rounds {
            self.progress.step(&format!("rest {round}/{rounds}, {}", row.label()));
            let peak = |entrant: &Entrant| {
                let series = row.named(&entrant.identity.name);
                series.and_then(|it| it.median(Metric::PeakRss)).unwrap_or_default()
            };
            let contenders =
                well.iter().map(|(it, _)| (&it.installed, peak(it))).collect::<Vec<_>>();
            let all = resting::run_all(&self.launcher(), &field.program, &contenders)?;
            if self.bench.interrupt.asked() {
                break;
            }
            let mut failed = Vec::new();
            for (who, ended) in all.iter().enumerate() {
                match field.accept(&well[who].0.identity.name, ended) {
                    Ok(reported) => well[who].1.push(Some(reported)),
                    Err(failure) => failed.push((who, failure)),
                }
            }
            for (who, failure) in failed.into_iter().rev() {
                results.failures.push(field.failed(failure));
                well.remove(who);
            }
        }
        for (entrant, runs) in well.iter().filter(|(_, runs)| !runs.is_empty()) {
            let mut values = reported::by_round(runs);
            values.retain(|metric, _| *metric == Metric::RssIdle);
            row.add(Series::of_values(entrant.identity.clone(), values));
        }
        Ok(())
    }
}

/// Runs a program several times. Its costs are the means of the runs, and the largest peak.
fn repeat(times: u32, mut run: impl FnMut() -> Result<Ended>) -> Result<Ended> {
    let mut all = run()?;
    let share = 1.0 / f64::from(times);
    let mut sum = [all.costs.wall_s, all.costs.cpu_s, all.costs.page_faults].map(|it| it * share);
    for _ in 1..times {
        if all.exit != Exit::Code(0) {
            return Ok(all);
        }
        let peak = all.costs.peak_rss_bytes;
        all = run()?;
        all.costs.peak_rss_bytes = all.costs.peak_rss_bytes.max(peak);
        let costs = [all.costs.wall_s, all.costs.cpu_s, all.costs.page_faults];
        sum.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost * share);
    }
    [all.costs.wall_s, all.costs.cpu_s, all.costs.page_faults] = sum;
    Ok(all)
}

impl Field<'_> {
    fn round_s(&self) -> f64 {
        self.proof_s * f64::from(self.case.repeat)
    }

    /// A run counts when it ends well and prints the check value every other run prints. Returns
    /// the values that it prints besides.
    fn accept(&self, name: &str, ended: &Ended) -> Result<Reported, Failure> {
        if ended.exit != Exit::Code(0) {
            return Err(Failure::of_run(name, ended));
        }
        let malformed = |why| Failure::of_check(name, why, ended);
        let reported = reported::parse(&ended.stdout).map_err(malformed)?;
        if !self.case.check {
            return Ok(reported);
        }
        let printed = ended.stdout.lines().find_map(|line| line.strip_prefix("check "));
        let Some(printed) = printed.map(str::trim) else {
            return Err(Failure::of_check(name, "printed no check value".to_string(), ended));
        };
        let mut check = self.check.borrow_mut();
        let expected = check.get_or_insert_with(|| printed.to_string());
        if printed == expected {
            return Ok(reported);
        }
        let why = format!("check value {printed}, not {expected} as before");
        Err(Failure::of_check(name, why, ended))
    }

    fn failed(&self, failure: Failure) -> Failed {
        let Case { workload, params, .. } = &self.case;
        let (workload, params) = (workload.clone(), params.clone());
        Failed { suite: self.suite.to_string(), workload, params, failure }
    }
}

#[cfg(test)]
mod tests {
    //! Runs that are too short to time alone.
    use heapsmith_measure::launch::Costs;

    use super::*;
    use crate::manifest::Manifest;

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let text = |needs: &str| {
            format!(
                "name = 'x'\nabout = 'y'\nkind = 'processes'\nshown = []\nnext = 'x'\n\
                 contender = [{{ name = 'glibc' }}]\n[[workload]]\nnames = ['w']\nabout = 'z'\n\
                 program = '/bin/true'\nneeds = {{ {needs} }}\n"
            )
        };
        let missing_of = |needs: &str| {
            let manifest = Manifest::parse(&text(needs)).expect("good");
            missing(&manifest.cases(false)[0])
        };
        assert_eq!(missing_of("sh = 'dash', '/etc/passwd' = 'a-file'"), None);
        let both = missing_of("sh = 'dash', no-such-command = 'some-package'");
        let expected = "w: there is no no-such-command: apt-get install some-package";
        assert_eq!(both.as_deref(), Some(expected));
    }

    #[test]
    fn repeated_runs_are_averaged_and_a_bad_one_is_the_last() {
        let run = |wall_s: f64, code: i32| {
            let costs = Costs { wall_s, peak_rss_bytes: wall_s, ..Costs::default() };
            Ok(Ended {
                pid: 1,
                costs,
                exit: Exit::Code(code),
                trouble: None,
                stdout: String::new(),
                stderr_tail: String::new(),
                left_behind: 0,
            })
        };
        let mut times = [1.0, 3.0, 2.0].into_iter();
        let all = repeat(3, || run(times.next().unwrap_or(0.0), 0)).expect("it runs");
        assert!((all.costs.wall_s - 2.0).abs() < 1e-9 && all.costs.peak_rss_bytes == 3.0);
        let mut codes = [0, 7, 0].into_iter();
        let all = repeat(3, || run(1.0, codes.next().unwrap_or(0))).expect("it runs");
        assert_eq!((all.exit, codes.next()), (Exit::Code(7), Some(0)));
    }
}
