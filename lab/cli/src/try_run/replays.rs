//! `heapsmith try --record`: one more run of each command is recorded, its trace replayed under each
//! allocator, and the prediction printed beside the real runs.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use heapsmith_measure::contender::{AS_BUILT, Installed};
use heapsmith_measure::launch::{Exit, Launcher, Output};
use heapsmith_measure::metric::Metric;
use heapsmith_measure::outfile::OutFile;
use heapsmith_measure::predict::{Agreement, Foretold, Quantity, elapsed, foretell, pairs};
use heapsmith_measure::row::Row;
use heapsmith_measure::screen::Screen;
use heapsmith_measure::table::Cell;
use heapsmith_trace::pack::Times;
use heapsmith_trace::plan::Order;

use crate::advise::search::{Advice, Search, search};
use crate::advise::trials::Trials;
use crate::args::replay::Touch;
use crate::recording::packing::pack_all;
use crate::recording::recorder::{recording, require_recorder};
use crate::recording::writing::{Writing, with_suffix};
use crate::replay::peak;
use crate::replay::rounds::{REST, Replay, Stage};
use crate::try_run::field::Field;

/// Rounds of a replay; more follow as long as there is time.
const ROUNDS: usize = 7;
const BUDGET: Duration = Duration::from_secs(60);

/// So many changes of the code are tried.
const MOST_CHANGES: usize = 12;

/// A replay beside the real runs of a command.
pub struct Beside {
    pub replay: Row,
    pub real: Row,
    baseline: String,
    /// The share of the program's time that calls of the allocator take, under the baseline.
    share: f64,
    /// The changes of the code that pay, if they were tried.
    pub advice: Option<Advice>,
}

/// Records and replays one command. None: interrupted, or it could not be recorded; a note on
/// stderr says why.
pub fn run(
    launcher: &Launcher,
    field: &Field,
    baseline: &str,
    advises: bool,
) -> Result<Option<Beside>> {
    let real = field.row();
    let entrants: Vec<_> = field.entrants.iter().filter(|it| it.failure.is_none()).collect();
    let Some(base) = entrants.iter().find(|it| it.identity.name == baseline) else {
        return Ok(None);
    };
    let folder = tempfile::TempDir::with_prefix("heapsmith-try-").context("a folder")?;
    let trace = folder.path().join(field.name().replace('/', "_")).with_extension("trace");
    eprintln!("heapsmith: recording {}", field.name());
    if !record(launcher, field, &base.installed, &trace)? {
        return Ok(None);
    }
    // The replayer has glibc's malloc by itself. The program as built may have another one.
    let replayed = entrants.iter().map(|entrant| {
        let library = &entrant.identity.library;
        let is_libc =
            library.file_name().is_some_and(|it| it.to_string_lossy().starts_with("libc."));
        let mut installed = entrant.installed.clone();
        if installed.name() == AS_BUILT && !is_libc {
            installed.preload = Some(library.clone());
        }
        installed
    });
    let replayed: Vec<Installed> = replayed.collect();
    let mut stage = Stage::new(launcher.lab, launcher.interrupt, &trace, Order::Bounded)?;
    stage.add_others(&with_suffix(&trace, ".others"))?;
    eprintln!("heapsmith: replaying {}", stage.describe());
    // As long as the real runs of one contender are apart.
    let medians =
        entrants.iter().filter_map(|it| it.series().and_then(|one| one.median(elapsed(&one))));
    let rest = Duration::from_secs_f64(medians.sum()).min(REST);
    let how = Replay {
        touch: Touch::Measured,
        repeat: 1,
        rounds: ROUNDS,
        budget: BUDGET,
        rest,
        looks_at_latency: false,
    };
    let mut played = stage.play(&replayed, &how)?;
    if launcher.interrupt.asked() {
        return Ok(None);
    }
    let recorded: Vec<(f64, f64)> = stage.survey.memory().collect();
    peak::correct(&mut played.row, &played.memory, &recorded, baseline);
    let mut replay = played.row;
    replay.workload.clone_from(&real.workload);
    let of = |row: &Row, metric| row.named(baseline).and_then(|series| series.median(metric));
    let share = match (of(&replay, Metric::Replay), of(&real, Metric::Cpu)) {
        (Some(within), Some(whole)) if whole > 0.0 => within / whole,
        _ => 0.0,
    };
    let own = replayed.iter().zip(&entrants).find(|(_, it)| it.identity.name == baseline);
    let advice = match own.filter(|_| advises) {
        Some((own, _)) => {
            let trials = Trials::new(launcher.lab, launcher.interrupt, &trace)?;
            // The real runs compare mallocs.
            let how = Search {
                lab: launcher.lab,
                trace: &trace,
                own,
                others: &[],
                rounds: None,
                most: MOST_CHANGES,
                program_s: of(&real, Metric::Cpu),
            };
            search(&how, trials)?
        }
        None => None,
    };
    Ok(Some(Beside { replay, real, baseline: baseline.to_string(), share, advice }))
}

/// Runs the command once with the recorder in front of the allocator. Returns: whether there is a
/// trace.
fn record(launcher: &Launcher, field: &Field, base: &Installed, trace: &Path) -> Result<bool> {
    let recorder = require_recorder(launcher.lab)?;
    let raw = with_suffix(trace, ".raw");
    fs::create_dir(&raw).with_context(|| raw.display().to_string())?;
    let settings = recording(base, &recorder, &raw);
    let quietly = Launcher { output: Output::Discard, ..launcher.clone() };
    let ended = quietly.run(&field.subject.program, &settings)?;
    if launcher.interrupt.asked() {
        return Ok(false);
    }
    if !matches!(ended.exit, Exit::Code(_)) {
        eprintln!("heapsmith: {} while it was recorded: no replay", ended.exit.describe());
        return Ok(false);
    }
    let times = Times { cpu_s: Some(ended.costs.cpu_s), plain_cpu_s: None };
    let writing =
        Writing { may_replace: false, anonymously: false, quietly: true, times, command: None };
    match pack_all(&raw, OutFile::prepare(trace)?, writing, None) {
        Ok(()) => Ok(true),
        Err(error) => {
            eprintln!("heapsmith: {error:#}");
            Ok(false)
        }
    }
}

pub fn print(out: &mut dyn Write, screen: &Screen, beside: &Beside) -> Result<()> {
    let Beside { replay, real, baseline, share, .. } = beside;
    let foretold = foretell(real, replay, baseline);
    let name = &real.workload;
    writeln!(out, "{name}: a replay beside the real runs, both against {baseline}")?;
    writeln!(out, "calls of the allocator take {:.1} % of the processor time", share * 100.0)?;
    let mut table = screen.table();
    let heads = ["allocator", "time", "foretold", "outside malloc", "peak", "foretold", "note"];
    table.set_header(heads.map(Cell::new));
    for time in foretold.iter().filter(|it| it.quantity == Quantity::Time) {
        let is_its =
            |it: &&Foretold| it.quantity == Quantity::Peak && it.contender == time.contender;
        let Some(peak) = foretold.iter().find(is_its) else { continue };
        let sign = if time.outside_malloc < 0.0 { "−" } else { "+" };
        let time_says = time.cannot_decide.then_some("replay cannot decide; real runs do");
        let peak_says = peak.varies.then_some("peak varies from run to run");
        let note = [time_says, peak_says].into_iter().flatten().collect::<Vec<_>>().join("; ");
        table.add_row([
            time.contender.clone(),
            Metric::Wall.show(time.real),
            Metric::Wall.show(time.predicted),
            format!("{sign}{}", Metric::Wall.show(time.outside_malloc.abs())),
            Metric::PeakRss.show(peak.real),
            Metric::PeakRss.show(peak.predicted),
            note,
        ]);
    }
    writeln!(out, "{table}")?;
    let pairs = pairs(real, replay, baseline);
    for quantity in [Quantity::Time, Quantity::Peak] {
        let it = Agreement::of(&pairs, quantity);
        if it.pairs != 0 {
            writeln!(
                out,
                "{}: {} pairs differ in the real runs; the replay ranks {} the same way and cannot \
                 decide {}",
                quantity.title(),
                it.pairs,
                it.agree,
                it.undecided
            )?;
        }
    }
    writeln!(out)?;
    Ok(())
}
