//! Finds the changes that pay: many are tried in a few rounds, and those that seem to pay are
//! measured in new rounds. A change is never judged by the rounds that chose it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::contender::{GLIBC, Installed};
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::quote;
use heapsmith_measure::prove::identify;
use heapsmith_measure::stats;
use heapsmith_trace::advice::candidates::{Candidate, candidates, treatments};
use heapsmith_trace::advice::study::Study;
use heapsmith_trace::plan::Treatments;
use serde::Serialize;

use crate::advise::gain::{Gain, LEAST, MEMORY_OF_CHANGE, MEMORY_OF_MALLOC, Whole, promise};
use crate::advise::piece::{Piece, Sites};
use crate::advise::trials::{Cost, Entrant, Trials};
use crate::args::common::spec;

/// Rounds that choose; they judge nothing.
const CHOOSING: usize = 7;
/// Rounds that judge, at least.
const JUDGING: usize = 11;
/// More rounds follow for so long while the intervals are wide, up to so many times as many.
const MOST_TIMES: usize = 5;
const BUDGET: Duration = Duration::from_secs(30);
/// Changes that promise less than this part of what is mentioned are not measured.
const HALF: f64 = 0.5;
/// A thread that makes so large a share of the calls keeps a processor busy.
const BUSY: f64 = 0.05;
/// The part of a program's time that recording leaves, at least.
const LEAST_LEFT: f64 = 0.25;
/// A simpler change is chosen if it promises so large a part of the best.
const NEARLY: f64 = 0.75;
/// Settings of glibc that are tried as if they were another malloc: it keeps memory that was freed.
const KEEPS_MEMORY: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=1073741824",
);
/// Its threads share one heap.
const ONE_ARENA: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// What to look for.
pub struct Search<'a> {
    pub lab: &'a Lab,
    pub trace: &'a Path,
    pub own: &'a Installed,
    pub others: &'a [Installed],
    /// That judge; none: as many as are needed.
    pub rounds: Option<usize>,
    pub most: usize,
    /// The program's real processor time in seconds, if it was measured.
    pub program_s: Option<f64>,
}

/// A malloc, or a setting of one, that pays.
#[derive(Debug, Serialize)]
pub struct OtherMalloc {
    /// With its settings: "glibc with MALLOC_ARENA_MAX=1".
    pub name: String,
    /// The line that runs the program with it.
    pub line: String,
    /// The library to preload, unless the program has it.
    pub preload: Option<PathBuf>,
    pub settings: Vec<(String, String)>,
    pub gain: Gain,
}

/// Another malloc that is tried.
struct Rival {
    installed: Installed,
    preload: Option<PathBuf>,
}

impl Rival {
    fn told(&self, command: &[String], gain: Gain) -> OtherMalloc {
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        let program = if words.is_empty() { "PROGRAM".to_string() } else { quote(&words) };
        let settings = &self.installed.settings;
        let set = |(name, value): &(String, String)| format!("{name}={value}");
        let preload = self.preload.iter().map(|it| format!("LD_PRELOAD={}", it.display()));
        let parts: Vec<String> = settings.iter().map(set).chain(preload).chain([program]).collect();
        let name = match settings.as_slice() {
            [] => self.installed.name().to_string(),
            all => {
                let all: Vec<String> = all.iter().map(set).collect();
                format!("{} with {}", self.installed.name(), all.join(" "))
            }
        };
        let (preload, settings) = (self.preload.clone(), settings.clone());
        OtherMalloc { name, line: parts.join(" "), preload, settings, gain }
    }
}

/// The other mallocs that can be loaded, and the settings of the program's own.
fn rivals(how: &Search, trials: &Trials) -> Result<Vec<Rival>> {
    let mut all = Vec::new();
    for installed in how.others {
        match identify(how.lab, installed)? {
            Ok(it) => {
                let preload = Some(it.library).filter(|_| installed.preload.is_some());
                all.push(Rival { installed: installed.clone(), preload });
            }
            Err(failure) => eprintln!("heapsmith: left out: {}", failure.line()),
        }
    }
    // As built, the replayer has glibc's.
    if how.own.name() == GLIBC || how.own.preload.is_none() {
        let has_threads = trials.survey().threads > 1;
        for (name, value) in [KEEPS_MEMORY].into_iter().chain(has_threads.then_some(ONE_ARENA)) {
            let mut installed = how.own.clone();
            installed.settings.push((name.to_string(), value.to_string()));
            all.push(Rival { installed, preload: None });
        }
    }
    Ok(all)
}

/// A change that was replayed in a few rounds.
#[derive(Debug, Serialize)]
pub struct Tried {
    #[serde(flatten)]
    pub candidate: Candidate,
    pub names: Vec<String>,
    /// The share of the time or of the peak that these rounds show.
    pub promise: f64,
}

/// The result: all that pays, the largest gain first.
#[derive(Debug, Serialize)]
pub struct Advice {
    pub command: Vec<String>,
    pub malloc: String,
    pub whole: Whole,
    pub calls: u64,
    pub threads: u32,
    pub pieces: Vec<Piece>,
    /// All pieces together, if there are several.
    pub together: Option<Gain>,
    pub mallocs: Vec<OtherMalloc>,
    /// The changes of sites that were replayed, and how many more there were.
    pub tried: Vec<Tried>,
    pub left_out: usize,
    pub mallocs_tried: usize,
    /// A function that allocates for the whole program, and hides who asks.
    pub wrapper: Option<String>,
    pub damage: Option<String>,
}

pub fn search(how: &Search, mut trials: Trials) -> Result<Option<Advice>> {
    eprintln!("heapsmith: preparing replays");
    let merging = Sites::of(&trials.survey().tables).merging();
    let study = &Study::of(how.trace, &merging)?;
    let base = trials.add(&Treatments::default())?;
    let Some(whole) = whole(how, study, &trials, base)? else { return Ok(None) };
    let mut found = candidates(study, whole.time_s * whole.busy);
    let left_out = found.len().saturating_sub(how.most);
    found.truncate(how.most);
    let rivals = rivals(how, &trials)?;
    let mut entrants = vec![Entrant { plan: base, malloc: how.own }];
    for candidate in &found {
        let plan = trials.add(&treatments(how.trace, &merging, &[candidate])?)?;
        entrants.push(Entrant { plan, malloc: how.own });
    }
    entrants.extend(rivals.iter().map(|it| Entrant { plan: base, malloc: &it.installed }));
    let costs = trials.run(&entrants, CHOOSING, "choosing")?;
    if trials.asked() {
        return Ok(None);
    }
    let promises: Vec<f64> = costs.iter().map(|it| promise(&whole, &costs[0], it)).collect();
    let (of_sites, of_mallocs) = promises[1..].split_at(found.len());
    let chosen = choose(&found, of_sites);
    let chosen_rivals = best(of_mallocs, &costs[1 + found.len()..]);
    let mut sites = Sites::of(&study.tables);
    let mut advice = Advice {
        command: study.tables.meta.command.clone(),
        malloc: spec(how.own),
        whole,
        calls: trials.calls(),
        threads: study.threads,
        pieces: Vec::new(),
        together: None,
        mallocs: Vec::new(),
        tried: Vec::new(),
        left_out,
        mallocs_tried: rivals.len(),
        wrapper: None,
        damage: study.damage.clone(),
    };
    for (candidate, &promise) in found.iter().zip(of_sites) {
        let names = candidate.sites.iter().map(|&site| sites.name(site)).collect();
        advice.tried.push(Tried { candidate: candidate.clone(), names, promise });
    }

    // New rounds judge.
    let mut judged = vec![entrants[0]];
    judged.extend(chosen.iter().map(|&n| entrants[1 + n]));
    judged.extend(chosen_rivals.iter().map(|&n| entrants[1 + found.len() + n]));
    if judged.len() > 1 {
        let Some(costs) = judge(&trials, &whole, &judged, how.rounds)? else { return Ok(None) };
        let (of_sites, of_mallocs) = costs[1..].split_at(chosen.len());
        let compared = judged.len() - 1;
        let gain = |changed: &[Cost], most_memory: f64| {
            let gain = Gain::of(&whole, &costs[0], changed, compared);
            gain.filter(|it| it.pays(most_memory))
        };
        let mut followed = Vec::new();
        for (&n, changed) in chosen.iter().zip(of_sites) {
            if let Some(gain) = gain(changed, MEMORY_OF_CHANGE) {
                advice.pieces.push(Piece::of(&found[n], gain, study, &mut sites));
                followed.push(&found[n]);
            }
        }
        for (&n, changed) in chosen_rivals.iter().zip(of_mallocs) {
            if let Some(gain) = gain(changed, MEMORY_OF_MALLOC) {
                advice.mallocs.push(rivals[n].told(&advice.command, gain));
            }
        }
        if followed.len() > 1 {
            let plan = trials.add(&treatments(how.trace, &merging, &followed)?)?;
            let judged = [entrants[0], Entrant { plan, malloc: how.own }];
            let Some(costs) = judge(&trials, &whole, &judged, how.rounds)? else { return Ok(None) };
            advice.together = Gain::of(&whole, &costs[0], &costs[1], 1);
        }
    }
    advice.pieces.sort_by(|a, b| b.gain.size().total_cmp(&a.gain.size()));
    advice.mallocs.sort_by(|a, b| b.gain.size().total_cmp(&a.gain.size()));
    if advice.pieces.is_empty() {
        advice.wrapper = wrapper(study, &mut sites);
    }
    Ok(Some(advice))
}

/// Measures until the intervals are narrow, for some time. None: interrupted.
fn judge(
    trials: &Trials,
    whole: &Whole,
    judged: &[Entrant],
    exactly: Option<usize>,
) -> Result<Option<Vec<Vec<Cost>>>> {
    let began = Instant::now();
    let compared = judged.len() - 1;
    let miss = (1.0 - stats::CONFIDENCE) / compared as f64;
    let has_interval = |rounds: &usize| stats::interval_rank_at(*rounds, miss).is_some();
    let rounds = (exactly.unwrap_or(JUDGING)..).find(has_interval).expect("some are enough");
    let mut costs = trials.run(judged, rounds, "measuring")?;
    let is_sure = |costs: &[Vec<Cost>]| {
        costs[1..]
            .iter()
            .all(|it| Gain::of(whole, &costs[0], it, compared).is_none_or(|it| it.is_sure()))
    };
    while exactly.is_none()
        && !trials.asked()
        && !is_sure(&costs)
        && began.elapsed() < BUDGET
        && costs[0].len() < MOST_TIMES * rounds
    {
        for (all, more) in costs.iter_mut().zip(trials.run(judged, rounds, "measuring on")?) {
            all.extend(more);
        }
    }
    Ok((!trials.asked()).then_some(costs))
}

/// The most promising change of each site, or a simpler one that promises nearly as much.
fn choose(found: &[Candidate], promises: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).filter(|&n| promises[n] >= HALF * LEAST).collect();
    order.sort_by(|&a, &b| promises[b].total_cmp(&promises[a]));
    let share = |a: usize, b: usize| found[a].sites.iter().any(|it| found[b].sites.contains(it));
    let mut chosen: Vec<usize> = Vec::new();
    for &n in &order {
        if chosen.iter().any(|&other| share(n, other)) {
            continue;
        }
        let instead = order.iter().copied().filter(|&other| {
            found[other].sites == found[n].sites && promises[other] >= NEARLY * promises[n]
        });
        chosen.extend(instead.min_by_key(|&other| found[other].change as u8));
    }
    chosen
}

/// The fastest and the smallest malloc of those that seem to pay; an entry without costs failed.
fn best(promises: &[f64], costs: &[Vec<Cost>]) -> Vec<usize> {
    let paying = || (0..promises.len()).filter(|&n| promises[n] >= HALF * LEAST);
    let sum = |n: usize, of: fn(&Cost) -> f64| costs[n].iter().map(of).sum::<f64>();
    let by = |of: fn(&Cost) -> f64| {
        paying()
            .filter(|&n| !costs[n].is_empty())
            .min_by(|&a, &b| sum(a, of).total_cmp(&sum(b, of)))
    };
    let mut chosen: Vec<usize> =
        [by(|it| it.run_s), by(|it| it.peak_bytes)].into_iter().flatten().collect();
    chosen.dedup();
    chosen
}

/// The program's time, without what recording cost, and its peak.
fn whole(how: &Search, study: &Study, trials: &Trials, base: usize) -> Result<Option<Whole>> {
    let survey = trials.survey();
    let meta = &study.tables.meta;
    // Nothing has to be subtracted from the time of runs that were not recorded. A busy machine
    // makes one of them slow, but recording makes none faster.
    let plain_s = meta.plain_cpu_s.map(|it| meta.cpu_s.map_or(it, |recorded| it.min(recorded)));
    let plain_s = how.program_s.or(plain_s);
    let recording_s = if plain_s.is_none() { trials.recording_s(how.own)? } else { 0.0 };
    let base = [Entrant { plan: base, malloc: how.own }];
    let replayed = trials.run(&base, 1, "preparing")?;
    if trials.asked() {
        return Ok(None);
    }
    let peak = replayed[0].first().map_or(0.0, |it| it.peak_bytes);
    let peak_bytes = survey.memory().map(|(_, bytes)| bytes).fold(peak, f64::max);
    let known_s = plain_s.or(meta.cpu_s);
    let (with_recording_s, busy) = known_s.map_or_else(
        || {
            let is_busy = |&&n: &&u64| n as f64 >= BUSY * study.calls as f64;
            let threads = study.calls_of.iter().filter(is_busy).count();
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            (survey.duration_ns as f64 * 1e-9, threads.clamp(1, processors) as f64)
        },
        |known_s| (known_s, 1.0),
    );
    let least_s = (LEAST_LEFT * with_recording_s).max(1e-9);
    let time_s = (with_recording_s - recording_s / busy).max(least_s);
    let is_processor_time = known_s.is_some();
    Ok(Some(Whole { time_s, is_processor_time, busy, peak_bytes, recording_s }))
}

/// A function that makes most blocks of the program, and is called from many places: of those
/// nothing can be said.
fn wrapper(study: &Study, sites: &mut Sites) -> Option<String> {
    const MOST: f64 = 0.5;
    const MANY: usize = 4;
    let all: u64 = study.sites.iter().map(|site| site.blocks).sum();
    let (site, it) = (0..).zip(&study.sites).max_by_key(|(_, site)| site.blocks)?;
    let samples = study.tables.stacks.iter().filter(|it| it.caller == site);
    let callers: BTreeSet<u32> = samples.filter_map(|it| it.frames.first().copied()).collect();
    let hides = it.blocks as f64 > MOST * all as f64 && callers.len() >= MANY;
    hides.then(|| sites.name(site))
}
