//! The state of a search. The file that keeps it lets a later search go on.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use heapsmith_measure::error::usage;
use serde::{Deserialize, Serialize};

use crate::confirm::Judged;
use crate::pattern::Pattern;
use crate::sample::{METRICS, Metric, Sample};

/// The candidates that are kept.
const MAX_CANDIDATES: usize = 40;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    pub seed: u64,
    pub draws: u64,
    pub spent_s: f64,
    /// The contenders with their versions, own first.
    pub contenders: Vec<String>,
    /// The worst first.
    pub candidates: Vec<Candidate>,
    /// Of each draw: how far two identical contenders were apart, by metric.
    pub noise: Vec<[Option<f64>; METRICS.len()]>,
    pub failures: Vec<Failed>,
    /// Of a pattern that was given: the sample of each contender.
    #[serde(default)]
    pub samples: Vec<Option<Sample>>,
}

/// A pattern in which a peer was better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub draw: u64,
    pub pattern: Pattern,
    pub peer: String,
    pub metric: Metric,
    pub ratio: f64,
    #[serde(default)]
    pub fate: Fate,
}

/// What further rounds made of a candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    #[default]
    Unexamined,
    /// Further rounds showed less.
    Gone(f64),
    /// It shrank to the pattern of another candidate.
    SameAs(u64),
    Judged(Pattern, Judged),
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub draw: u64,
    pub pattern: Pattern,
    pub contender: String,
    pub why: String,
}

impl State {
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            usage(format!("{}: {error}: there is no search to resume", path.display()))
        })?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Replaces the file as a whole, so that an interrupt leaves the old one or the new one.
    pub fn write(&self, path: &Path) -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let named = || path.display().to_string();
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(named)?;
        file.write_all(serde_json::to_string_pretty(self)?.as_bytes())?;
        file.persist(path).with_context(named)?;
        Ok(())
    }

    /// Keeps a candidate, unless a worse one of its kind is known.
    pub fn keep(&mut self, found: Candidate) {
        let alike =
            |it: &Candidate| it.metric == found.metric && it.pattern.is_like(&found.pattern);
        // One that further rounds did not show again says nothing about this one.
        let stands = |it: &&Candidate| alike(it) && !matches!(it.fate, Fate::Gone(_));
        if self.candidates.iter().filter(stands).any(|it| it.ratio >= found.ratio) {
            return;
        }
        self.candidates.retain(|it| it.fate != Fate::Unexamined || !alike(it));
        self.candidates.push(found);
        self.candidates.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
        self.candidates.truncate(MAX_CANDIDATES);
    }

    /// Notes how far apart the samples of two identical contenders are.
    pub fn note_noise(&mut self, one: &Sample, other: &Sample) {
        self.noise.push(METRICS.map(|metric| {
            let ratio = one.of(metric)? / other.of(metric)?;
            Some(ratio.max(1.0 / ratio))
        }));
    }

    /// Whether `own` failed in a draw in which no peer did.
    pub fn fails_alone(&self, own: &str) -> bool {
        let fails = |draw: u64| self.failures.iter().filter(move |it| it.draw == draw);
        let own_ones = self.failures.iter().filter(|it| it.contender == own);
        own_ones.into_iter().any(|it| fails(it.draw).all(|other| other.contender == own))
    }

    pub fn findings(&self) -> impl Iterator<Item = (&Candidate, &Pattern, &Judged)> {
        self.candidates.iter().filter_map(|it| match &it.fate {
            Fate::Judged(pattern, judged) if judged.is_finding() => Some((it, pattern, judged)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    //! The candidates that are kept, and the way into the file and back.
    use super::*;

    fn candidate(draw: u64, ratio: f64, order: &str) -> Candidate {
        let mut pattern = Pattern::default();
        pattern.set("order", order);
        pattern.set("slots", draw + 5);
        let (peer, metric) = ("glibc".to_string(), Metric::Time);
        Candidate { draw, pattern, peer, metric, ratio, fate: Fate::Unexamined }
    }

    #[test]
    fn the_worst_of_each_kind_is_kept() {
        let mut state = State::default();
        state.keep(candidate(1, 2.0, "random"));
        state.keep(candidate(2, 1.5, "random"));
        state.keep(candidate(3, 3.0, "random"));
        state.keep(candidate(4, 1.2, "stack"));
        let kept: Vec<_> = state.candidates.iter().map(|it| it.draw).collect();
        assert_eq!(kept, [3, 4]);
    }

    #[test]
    fn one_that_has_gone_hides_no_other() {
        let mut state = State::default();
        state.keep(Candidate { fate: Fate::Gone(1.0), ..candidate(1, 9.0, "random") });
        state.keep(candidate(2, 1.5, "random"));
        assert_eq!(state.candidates.len(), 2);
    }

    #[test]
    fn a_pattern_that_is_too_much_for_all_is_held_against_nobody() {
        let failed = |draw: u64, contender: &str| Failed {
            draw,
            pattern: Pattern::default(),
            contender: contender.to_string(),
            why: "takes too long".to_string(),
        };
        let mut state = State::default();
        state.failures.extend([failed(1, "own"), failed(1, "glibc"), failed(2, "glibc")]);
        assert!(!state.fails_alone("own"));
        state.failures.push(failed(3, "own"));
        assert!(state.fails_alone("own"));
    }

    #[test]
    fn a_search_comes_back_from_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/state.json");
        let mut state = State { seed: 7, draws: 3, ..State::default() };
        state.keep(candidate(1, 2.0, "random"));
        let sample = Sample { ns_per_call: Some(50.0), ..Sample::default() };
        state.note_noise(&sample, &Sample { ns_per_call: Some(100.0), ..Sample::default() });
        state.write(&path).expect("written");
        let read = State::read(&path).expect("read");
        assert_eq!((read.seed, read.draws, read.noise[0][0]), (7, 3, Some(2.0)));
        assert_eq!(read.candidates, state.candidates);
        assert!(State::read(&folder.path().join("none")).is_err());
    }
}
