//! `heapsmith try`: real runs of commands under every allocator.

pub mod cause;
pub mod commands;
pub mod end;
pub mod field;
pub mod input;
pub mod live;
pub mod next;
pub mod pace;
pub mod replays;
pub mod runs;
pub mod sampled;
pub mod sampling;

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ArgMatches;

use crate::args::common::{own_name, spec};
use crate::args::try_::TryArgs;
use commands::{Subject, subjects};
use end::{End, judged};
use field::Field;
use heapsmith_measure::contender::{Installed, Pinned, choose};
use heapsmith_measure::error::usage;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Launcher, Output};
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::progress::{Progress, counted};
use heapsmith_measure::prove::Proof;
use heapsmith_measure::record::{self, Failed};
use heapsmith_measure::results::Results;
use heapsmith_measure::round::{Entrant, Tally, order};
use heapsmith_measure::row::Row;
use heapsmith_measure::serve;
use heapsmith_measure::verdict::{Rules, is_decided};
use input::Input;
use next::Again;
use pace::{Extent, Further, Pace};
use runs::Runs;
use sampling::Sampling;

/// Each run answers four: fastest, least processor time, steadiest and smallest at peak.
const GOALS_OF_A_RUN: usize = 4;
/// Sampled memory answers two more: smallest on average and gives back.
const GOALS_OF_SAMPLES: usize = 2;

pub fn run(args: &TryArgs, matches: &ArgMatches) -> Result<u8> {
    let subjects = subjects(args)?;
    let lab = Lab::find()?;
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    let (chosen, absent) = choose(&pinned, &args.chosen.alloc, args.baseline.name(), &beside)?;
    let files = args.files.prepare()?;
    if files.take_stdout() && args.show_output {
        return Err(usage("--show-output would mix the program's output into the results"));
    }
    let input = Input::of(args.input.as_deref())?;
    let interrupt = Interrupt::listen()?;
    let output = if args.show_output { Output::Show } else { Output::Discard };
    let redirected = input.redirection();
    let (input, timeout) = (input.path(), args.timeout);
    let service = args.service();
    let service = service.as_ref();
    let launcher = Launcher { lab: &lab, interrupt: &interrupt, input, output, timeout, service };
    serve::preflight(&launcher)?;
    let extent = Extent::of(args);
    let runs = subjects.len() * chosen.len();
    let mut session = Session {
        args,
        runs: Runs::new(args, launcher)?,
        progress: if args.show_output { Progress::plain(runs) } else { Progress::new(runs) },
        extent,
        rules: Rules::default(),
    };
    session.announce(&subjects, &chosen, &absent);
    let mut results = Results::new(&["heapsmith"]);
    let (fields, further) = session.measure(&subjects, &chosen, &mut results)?;
    let again = Again::of(matches, redirected).called(own_name());
    let mut replays = Vec::new();
    for field in fields.iter().filter(|_| args.record) {
        if !session.runs.interrupted() {
            let baseline = args.baseline.name();
            let advises = !args.no_advice;
            // The measured rows are kept, whatever becomes of the recording.
            match replays::run(&session.runs.launcher, field, baseline, advises) {
                Ok(replay) => replays.extend(replay),
                Err(error) => eprintln!("heapsmith: {}: no replay: {error:#}", field.name()),
            }
        }
    }
    let interrupted = session.runs.interrupted();
    let cause = if interrupted { None } else { cause::of(&session.runs, &fields)? };
    let specs = chosen.iter().map(|one| (one.name().to_string(), spec(one))).collect();
    let rules = session.rules;
    End { args, again, specs, fields, interrupted, rules, further, replays, cause }
        .report(results, files)
}

struct Session<'a> {
    args: &'a TryArgs,
    runs: Runs<'a>,
    progress: Progress,
    extent: Extent,
    rules: Rules,
}

impl Session<'_> {
    /// Says what will run, before anything runs.
    fn announce(&self, subjects: &[Subject], chosen: &[Installed], absent: &[String]) {
        for line in absent {
            self.progress.note(&format!("left out: {line}"));
        }
        let names: Vec<&str> = chosen.iter().map(Installed::name).collect();
        let allocators = format!("{} ({})", counted(names.len(), "allocator"), names.join(", "));
        let time = self.extent.describe();
        match subjects {
            [only] => {
                self.progress.note(&format!("{}: under {allocators}, {time}", only.text));
            }
            several => {
                let commands = counted(several.len(), "command");
                self.progress.note(&format!("{commands} under {allocators}, {time}:"));
                for Subject { name, text, .. } in several {
                    let name = if name == text { "" } else { &format!("{name}: ") };
                    self.progress.note(&format!("  {name}{text}"));
                }
            }
        }
    }

    /// Everything that runs. Also returns the options to suggest afterwards.
    fn measure<'s>(
        &mut self,
        subjects: &'s [Subject],
        chosen: &[Installed],
        results: &mut Results,
    ) -> Result<(Vec<Field<'s>>, Further)> {
        let mut pace = Pace::new(self.extent);
        let mut fields = Vec::new();
        let mut round = Duration::ZERO;
        for subject in subjects {
            let mut field = Field::new(subject, self.args.ignore_failure);
            round += self.prove(&mut field, chosen, results)?;
            fields.push(field);
        }
        let rivals: usize = fields.iter().map(|field| field.entrants.len().saturating_sub(1)).sum();
        let samples_memory = self.args.samples_memory();
        let goals = GOALS_OF_A_RUN + if samples_memory { GOALS_OF_SAMPLES } else { 0 };
        self.rules.compared = (rivals * goals).max(1);
        pace.need(self.rules.fewest_rounds(self.rules.compared));
        if samples_memory {
            pace.leave_time_for_samples();
        }
        if !round.is_zero() && !self.runs.interrupted() {
            self.progress.note(&pace.foretell(round));
        }
        match self.extent {
            Extent::Budget { time, .. } => self.progress.spend(time),
            Extent::Rounds(rounds) => {
                let entrants: usize = fields.iter().map(|field| field.entrants.len()).sum();
                self.progress.count(entrants * (rounds + self.args.warmup.saturating_sub(1)));
            }
        }
        for _ in 1..self.args.warmup {
            self.warm_up(&fields)?;
        }
        self.rounds(&mut fields, &mut pace)?;
        if samples_memory && !self.runs.interrupted() {
            pace.use_all_time();
            let Self { args, runs, progress, .. } = self;
            Sampling { args, runs, progress }.run(&mut fields, &pace, pace.mean())?;
        }
        self.progress.finish();
        let further = pace.further();
        let enough = further.enough.filter(|_| !self.runs.interrupted());
        Ok((fields, Further { enough, ..further }))
    }

    /// The proof runs, one per contender: a failing contender takes no part in the rounds. Returns
    /// the time of the others.
    fn prove(
        &self,
        field: &mut Field,
        chosen: &[Installed],
        results: &mut Results,
    ) -> Result<Duration> {
        let (mut round, row) = (Duration::ZERO, field.row());
        for installed in chosen {
            let name = installed.name();
            self.progress.step(&format!("checking that {name} loads"));
            let began = Instant::now();
            let (proof, tally) = self.first_runs(field, installed)?;
            if self.runs.interrupted() {
                break;
            }
            self.progress.done_one();
            for remark in proof.remarks {
                self.progress.note(&format!("{name}: {remark}"));
            }
            let processes = proof.processes.iter();
            results.processes.extend(processes.map(|process| record::process(&row, name, process)));
            // A crash while loading is the program's failure, not a preload that was ignored.
            if tally.failed == tally.runs {
                field.hopeless.push((installed.clone(), tally));
                continue;
            }
            match proof.loaded {
                Ok(identity) => {
                    results.identify(&identity);
                    round += began.elapsed();
                    field.entrants.push(Entrant::counted(installed.clone(), identity, tally));
                }
                Err(failure) => field.unproved.push(failure),
            }
        }
        Ok(round)
    }

    /// Proof runs until one works, or there were enough.
    fn first_runs(&self, field: &Field, installed: &Installed) -> Result<(Proof, Tally)> {
        let mut tally = Tally::new(field.tries());
        loop {
            let proof = self.runs.proof(&field.subject.program, installed)?;
            let sound = field.expected.check(installed.name(), &proof.ended);
            let works = sound.is_ok();
            if tally.count(sound).is_some() || works || self.runs.interrupted() {
                return Ok((proof, tally));
            }
        }
    }

    fn warm_up(&self, fields: &[Field]) -> Result<()> {
        for field in fields {
            for entrant in &field.entrants {
                if self.runs.interrupted() {
                    return Ok(());
                }
                self.progress.step(&format!("warm-up, {}", entrant.identity.name));
                self.runs.measured(&field.subject.program, &entrant.installed)?;
                self.progress.done_one();
            }
        }
        Ok(())
    }

    fn rounds(&self, fields: &mut [Field], pace: &mut Pace) -> Result<()> {
        let is_fixed = matches!(self.extent, Extent::Rounds(_));
        let is_over = |field: &Field| field.running() == 0 || (field.decided && !is_fixed);
        while fields.iter().any(|field| field.running() > 0) && !self.runs.interrupted() {
            if !pace.goes_on(fields.iter().all(is_over)) {
                break;
            }
            let began = Instant::now();
            for who in order(pace.rounds, fields.len()) {
                let field = &mut fields[who];
                if is_over(field) {
                    continue;
                }
                if !self.round(field, pace.rounds)? {
                    return Ok(());
                }
                self.decide(field);
            }
            pace.count(began.elapsed());
            self.show(fields, pace);
        }
        Ok(())
    }

    fn show(&self, fields: &[Field], pace: &Pace) {
        let rows: Vec<Row> = fields.iter().map(Field::row).collect();
        let failures: Vec<Failed> = fields.iter().flat_map(Field::failures).collect();
        if let Some(baseline) = self.args.baseline.of(&rows) {
            let judgement = judged(fields, &rows, &failures, baseline, &self.rules);
            live::show(&self.progress, &rows, &judgement, pace);
        }
    }

    /// One round of one command; false if interrupted.
    fn round(&self, field: &mut Field, round: usize) -> Result<bool> {
        for who in order(round, field.entrants.len()) {
            let Field { subject, entrants, expected, .. } = &mut *field;
            let entrant = &mut entrants[who];
            let runs = entrant.failure.is_none();
            let allocator = &entrant.identity.name;
            self.progress.step(&format!("round {}: {}, {allocator}", round + 1, subject.name));
            let run = |installed: &Installed| self.runs.measured(&subject.program, installed);
            let accept = |name: &str, ended: &_| expected.check(name, ended);
            if !entrant.take_turn(self.runs.launcher.interrupt, run, accept)? {
                return Ok(false);
            }
            if runs {
                self.progress.done_one();
            }
        }
        Ok(true)
    }

    fn decide(&self, field: &mut Field) {
        let rows = [field.row()];
        let baseline = self.args.baseline.of(&rows);
        let is_decided = |baseline: &str| {
            let failures = field.failures();
            failures.iter().any(|one| one.failure.contender == baseline)
                || is_decided(&rows[0], baseline, &self.rules) && !field.is_doubtful()
        };
        field.decided = baseline.is_some_and(is_decided);
    }
}
