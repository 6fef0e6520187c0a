//! Finds the changes that pay: many are tried in a few rounds, and those that seem to pay are
//! measured in new rounds. A change is never judged by the rounds that chose it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::contender::{GLIBC, Installed};
use heapsmith_trace::advice::candidates::{Candidate, candidates, treatments};
use heapsmith_trace::advice::study::Study;
use heapsmith_trace::plan::Treatments;
use serde::Serialize;

use crate::advise::name_of;
use crate::advise_gain::{Gain, LEAST, Whole, promise};
use crate::advise_piece::{Piece, Sites};
use crate::advise_trials::{Cost, Entrant, Trials};

/// Rounds that choose; they judge nothing.
const CHOOSING: usize = 5;
/// More rounds follow for so long while the intervals are wide.
const BUDGET: Duration = Duration::from_secs(30);
/// Changes that promise less than this part of what is mentioned are not measured.
const HALF: f64 = 0.5;
/// A thread that makes so large a share of the calls keeps a processor busy.
const BUSY: f64 = 0.05;
/// Settings of glibc that are tried as if they were another malloc: it keeps memory that was freed;
/// its threads share one heap.
const SETTINGS_OF_GLIBC: [(&str, &str); 2] = [
    (
        "GLIBC_TUNABLES",
        "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=1073741824",
    ),
    ("MALLOC_ARENA_MAX", "1"),
];

/// What to look for.
pub struct Search<'a> {
    pub trace: &'a Path,
    pub own: &'a Installed,
    pub others: &'a [Installed],
    pub rounds: usize,
    pub most: usize,
    /// The program's real time in seconds, and how many processors it kept busy, if it was measured.
    pub program: Option<(f64, f64)>,
}

/// A malloc, or a setting of one, that pays.
#[derive(Debug, Serialize)]
pub struct OtherMalloc {
    pub name: String,
    pub gain: Gain,
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
    /// How many changes of sites were replayed, and how many more there were.
    pub tried: usize,
    pub left_out: usize,
    pub mallocs_tried: usize,
    /// A function that allocates for the whole program, and hides who asks.
    pub wrapper: Option<String>,
    pub damage: Option<String>,
}

pub fn search(how: &Search, study: &Study, mut trials: Trials) -> Result<Option<Advice>> {
    eprintln!("heapsmith: preparing replays");
    let base = trials.add(&Treatments::default())?;
    let Some(whole) = whole(how, study, &trials, base)? else { return Ok(None) };
    let mut found = candidates(study, whole.time_s * whole.busy);
    let left_out = found.len().saturating_sub(how.most);
    found.truncate(how.most);
    let settings: Vec<Installed> = if how.own.name() == GLIBC {
        let with = |setting: &(&str, &str)| {
            let mut installed = how.own.clone();
            installed.settings.push((setting.0.to_string(), setting.1.to_string()));
            installed
        };
        SETTINGS_OF_GLIBC.iter().map(with).collect()
    } else {
        Vec::new()
    };
    let mallocs: Vec<&Installed> = how.others.iter().chain(&settings).collect();
    let mut entrants = vec![Entrant { plan: base, malloc: how.own }];
    for candidate in &found {
        let plan = trials.add(&treatments(how.trace, &[candidate])?)?;
        entrants.push(Entrant { plan, malloc: how.own });
    }
    entrants.extend(mallocs.iter().map(|&malloc| Entrant { plan: base, malloc }));
    if trials.asked() {
        return Ok(None);
    }
    let costs = trials.run(&entrants, CHOOSING, "choosing")?;
    if trials.asked() {
        return Ok(None);
    }
    let promises: Vec<f64> = costs.iter().map(|it| promise(&whole, &costs[0], it)).collect();
    let (of_sites, of_mallocs) = promises[1..].split_at(found.len());
    let chosen = choose(&found, of_sites);
    let chosen_mallocs = best(of_mallocs, &costs[1 + found.len()..]);

    // New rounds judge.
    let mut judged = vec![entrants[0]];
    judged.extend(chosen.iter().map(|&n| entrants[1 + n]));
    judged.extend(chosen_mallocs.iter().map(|&n| entrants[1 + found.len() + n]));
    if judged.len() == 1 {
        let pieces = Vec::new();
        let counts = (found.len(), left_out, mallocs.len());
        return Ok(Some(advice(how, study, &trials, whole, counts, pieces)));
    }
    let Some(costs) = judge(&trials, &whole, &judged, how.rounds)? else { return Ok(None) };
    let gain = |costs: &[Cost], base: &[Cost]| Gain::of(&whole, base, costs).filter(Gain::pays);
    let mut sites = Sites::of(&study.tables);
    let mut pieces = Vec::new();
    let mut followed = Vec::new();
    for (&n, costs_of) in chosen.iter().zip(&costs[1..]) {
        if let Some(gain) = gain(costs_of, &costs[0]) {
            pieces.push(Piece::of(&found[n], gain, study, &mut sites));
            followed.push(&found[n]);
        }
    }
    let mut others = Vec::new();
    for (&n, costs_of) in chosen_mallocs.iter().zip(&costs[1 + chosen.len()..]) {
        if let Some(gain) = gain(costs_of, &costs[0]) {
            others.push(OtherMalloc { name: name_of(mallocs[n]), gain });
        }
    }
    pieces.sort_by(|a, b| b.gain.size().total_cmp(&a.gain.size()));
    others.sort_by(|a, b| b.gain.size().total_cmp(&a.gain.size()));
    let mut together = None;
    if followed.len() > 1 {
        let plan = trials.add(&treatments(how.trace, &followed)?)?;
        let entrants = [entrants[0], Entrant { plan, malloc: how.own }];
        let Some(costs) = judge(&trials, &whole, &entrants, how.rounds)? else { return Ok(None) };
        together = Gain::of(&whole, &costs[0], &costs[1]);
    }
    let counts = (found.len(), left_out, mallocs.len());
    let mut advice = advice(how, study, &trials, whole, counts, pieces);
    (advice.together, advice.mallocs) = (together, others);
    Ok(Some(advice))
}

/// Measures until the intervals are narrow, for some time. None: interrupted.
fn judge(
    trials: &Trials,
    whole: &Whole,
    judged: &[Entrant],
    rounds: usize,
) -> Result<Option<Vec<Vec<Cost>>>> {
    let began = Instant::now();
    let mut costs = trials.run(judged, rounds, "measuring")?;
    let is_sure = |costs: &[Vec<Cost>]| {
        costs[1..].iter().all(|it| Gain::of(whole, &costs[0], it).is_none_or(|it| it.is_sure()))
    };
    while !trials.asked() && !is_sure(&costs) && began.elapsed() < BUDGET {
        for (all, more) in costs.iter_mut().zip(trials.run(judged, rounds, "measuring on")?) {
            all.extend(more);
        }
    }
    Ok((!trials.asked()).then_some(costs))
}

fn advice(
    how: &Search,
    study: &Study,
    trials: &Trials,
    whole: Whole,
    (tried, left_out, mallocs_tried): (usize, usize, usize),
    pieces: Vec<Piece>,
) -> Advice {
    let wrapper = if pieces.is_empty() { wrapper(study) } else { None };
    Advice {
        command: study.tables.meta.command.clone(),
        malloc: name_of(how.own),
        whole,
        calls: trials.calls(),
        threads: study.threads,
        pieces,
        together: None,
        mallocs: Vec::new(),
        tried,
        left_out,
        mallocs_tried,
        wrapper,
        damage: study.damage.clone(),
    }
}

/// The most promising change of each site.
fn choose(found: &[Candidate], promises: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).filter(|&n| promises[n] >= HALF * LEAST).collect();
    order.sort_by(|&a, &b| promises[b].total_cmp(&promises[a]));
    let mut chosen: Vec<usize> = Vec::new();
    for n in order {
        let is_taken =
            |&other: &usize| found[other].sites.iter().any(|site| found[n].sites.contains(site));
        if !chosen.iter().any(is_taken) {
            chosen.push(n);
        }
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
        [by(|it| it.time_s), by(|it| it.peak_bytes)].into_iter().flatten().collect();
    chosen.dedup();
    chosen
}

/// The program's time, without what recording cost, and its peak.
fn whole(how: &Search, study: &Study, trials: &Trials, base: usize) -> Result<Option<Whole>> {
    let survey = trials.survey();
    let most = study.calls_of.iter().filter(|&&n| n as f64 >= BUSY * study.calls as f64).count();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let busy = most.clamp(1, processors) as f64;
    let recorded_s = survey.duration_ns as f64 * 1e-9;
    let recording_s = if how.program.is_none() { trials.recording_s(how.own)? } else { 0.0 };
    let base = [Entrant { plan: base, malloc: how.own }];
    let replayed = trials.run(&base, 1, "preparing")?;
    if trials.asked() {
        return Ok(None);
    }
    let peak = replayed[0].first().map_or(0.0, |it| it.peak_bytes);
    let (time_s, busy) = how.program.unwrap_or_else(|| {
        // Recording never takes most of a program's time.
        ((recorded_s - recording_s / busy).max(recorded_s / 4.0), busy)
    });
    let peak_bytes = survey.memory().map(|(_, bytes)| bytes).fold(peak, f64::max);
    Ok(Some(Whole { time_s: time_s.max(1e-9), busy, peak_bytes, recording_s }))
}

/// The function that makes most blocks of the program, of which nothing can be said.
fn wrapper(study: &Study) -> Option<String> {
    const MOST: f64 = 0.5;
    let all: u64 = study.sites.iter().map(|site| site.blocks).sum();
    let (site, it) = study.sites.iter().enumerate().max_by_key(|(_, site)| site.blocks)?;
    let is_most = it.blocks as f64 > MOST * all as f64;
    is_most.then(|| Sites::of(&study.tables).name(site as u32))
}
