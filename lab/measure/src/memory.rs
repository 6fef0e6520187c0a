//! Memory over time: the whole process tree, sampled in runs of their own.
//!
//! The memory of a tree is the sum of its processes' PSS, so that pages which processes share count
//! once. Sampling costs time, so runs that are sampled measure memory only.

mod points;
mod pss;
mod sampler;

use anyhow::Result;
use serde::Serialize;

use crate::launch::{Ended, Event, Launcher, Setting};
use crate::metric::{Metric, OF_MEMORY};
use crate::pace::Pace;
use crate::program::Program;
use crate::prove::Identity;
use crate::row::{Series, Values};

use points::Points;
pub use pss::Source;
use sampler::{Mark, Sampler, Samples};

/// The part of a program's run that counts as its end.
const LAST_PART: f64 = 0.1;

/// As many runs as an interval needs.
pub const RUNS: usize = crate::stats::MIN_ROUNDS;

/// The samples of one run, thinned out to at most 1,000.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    #[serde(rename = "metric")]
    pub source: Source,
    pub t_s: Vec<f64>,
    /// In bytes.
    pub values: Vec<f64>,
}

/// The key figures of one run, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// The largest sample.
    pub peak: f64,
    /// Over the run of a program, or over a server's load; none if the load was too short.
    pub mean: Option<f64>,
    /// The mean over the last tenth of a program's run, or the sample at the end of a server's load.
    pub end: f64,
    /// After a server's idle time.
    pub idle: Option<f64>,
    /// Over the second half of the run or load; none if that half is shorter than a second.
    pub slope_per_min: Option<f64>,
}

impl Memory {
    pub fn value(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::PssPeak => Some(self.peak),
            Metric::PssMean => self.mean,
            Metric::PssEnd => Some(self.end),
            Metric::PssIdle => self.idle,
            Metric::PssSlope => self.slope_per_min,
            _ => None,
        }
    }
}

/// One sampled run. It has no figures if the program ended before the first sample.
#[derive(Debug)]
pub struct Watched {
    pub ended: Ended,
    pub memory: Option<Memory>,
    pub curve: Curve,
}

/// Runs `program` once and samples its memory. A launcher with a service runs it as a server.
pub fn watch(
    launcher: &Launcher,
    program: &Program,
    settings: &[Setting],
    pace: &Pace,
) -> Result<Watched> {
    let mut sampler = None;
    let mut marks = Marks::default();
    let ended = launcher.observe(program, settings, Some(pace), &mut |event| {
        let mark = || sampler.as_ref().map(Sampler::mark).transpose();
        match event {
            Event::Started(launcher) => sampler = Some(Sampler::start(launcher)?),
            Event::LoadBegins => marks.began = mark()?,
            Event::LoadEnded => marks.ended = mark()?,
            Event::IdleEnded => marks.idle = mark()?,
        }
        Ok(())
    })?;
    let samples = sampler.map(Sampler::finish).transpose()?;
    let Some(Samples { points, source }) = samples else {
        let curve = Curve { source: Source::Pss, t_s: Vec::new(), values: Vec::new() };
        return Ok(Watched { ended, memory: None, curve });
    };
    let curve = Curve {
        source,
        t_s: points.kept().iter().map(|point| point.t_s).collect(),
        values: points.kept().iter().map(|point| point.bytes).collect(),
    };
    Ok(Watched { ended, memory: figures(&points, &marks), curve })
}

/// The samples at the turns of a server's run.
#[derive(Default)]
struct Marks {
    began: Option<Mark>,
    ended: Option<Mark>,
    idle: Option<Mark>,
}

fn figures(points: &Points, marks: &Marks) -> Option<Memory> {
    let first_s = points.kept().first()?.t_s;
    let from_s = marks.began.map_or(first_s, |mark| mark.t_s);
    let to_s = marks.ended.map_or(f64::INFINITY, |mark| mark.t_s).min(points.last_s()?);
    Some(Memory {
        peak: points.peak()?,
        mean: points.mean(from_s, to_s).map(f64::round),
        end: match marks.ended.and_then(|mark| mark.bytes) {
            Some(bytes) => bytes,
            // The last sample of a program would depend on the moment at which it was taken.
            None => points.mean(to_s - LAST_PART * (to_s - from_s), to_s)?.round(),
        },
        idle: marks.idle.and_then(|mark| mark.bytes),
        slope_per_min: points.slope_per_min(from_s, to_s).map(f64::round),
    })
}

/// One contender's memory by run, to be added to the row of its timed rounds.
pub fn series(identity: Identity, runs: &[Option<Memory>]) -> Series {
    let by_run = |metric: Metric| -> Vec<Option<f64>> {
        runs.iter().map(|run| run.as_ref().and_then(|memory| memory.value(metric))).collect()
    };
    let values: Values = OF_MEMORY.into_iter().map(|metric| (metric, by_run(metric))).collect();
    Series::of_values(identity, values)
}

#[cfg(test)]
mod tests {
    //! The figures of a load between two samples.
    use super::*;

    #[test]
    fn a_load_that_is_too_short_for_a_mean_has_a_peak_and_an_end() {
        let mut points = Points::new();
        for step in 0..=points::MAX_POINTS + 1 {
            points.push(step as f64, if step == 0 { 2e6 } else { 1e6 });
        }
        let mark = |t_s| Some(Mark { t_s, bytes: Some(1e6) });
        let marks = Marks { began: mark(1.1), ended: mark(1.2), idle: mark(1001.0) };
        let memory = figures(&points, &marks).expect("figures");
        assert_eq!(memory.mean, None);
        assert_eq!((memory.peak, memory.end, memory.idle), (2e6, 1e6, Some(1e6)));
    }
}
