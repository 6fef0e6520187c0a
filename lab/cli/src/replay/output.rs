//! The output of the replayer, line by line.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use heapsmith_measure::metric::Metric;

/// How long the calls of one kind took, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latency {
    pub p50: f64,
    pub p99: f64,
    pub p999: f64,
    pub worst: f64,
}

/// The memory at one moment, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Of the recording.
    pub ns: f64,
    pub live: f64,
    pub anonymous: f64,
    pub in_blocks: Option<f64>,
    pub in_threads: Option<f64>,
    pub in_spans: Option<f64>,
    pub kept: Option<f64>,
}

/// The parts of the memory that an allocator may tell apart.
pub const PARTS: [Metric; 6] = [
    Metric::Asked,
    Metric::Rounding,
    Metric::InThreads,
    Metric::InSpans,
    Metric::NotReturned,
    Metric::NotIts,
];

impl Sample {
    /// The parts of the process's memory, as far as the allocator tells.
    pub fn parts(&self) -> Vec<(Metric, f64)> {
        let told = (self.in_blocks, self.in_threads, self.in_spans, self.kept);
        let (Some(blocks), Some(threads), Some(spans), Some(kept)) = told else {
            return vec![(Metric::Asked, self.live), (Metric::Unsplit, self.anonymous - self.live)];
        };
        let free = spans - blocks - threads;
        let others = self.anonymous - spans - kept;
        PARTS
            .into_iter()
            .zip([self.live, blocks - self.live, threads, free, kept, others])
            .collect()
    }
}

/// The first sample at which the process was largest.
pub fn at_peak(samples: &[Sample]) -> Option<&Sample> {
    samples.iter().rev().max_by(|a, b| a.anonymous.total_cmp(&b.anonymous))
}

/// The output of one run.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    values: BTreeMap<String, f64>,
    pub allocate: Option<Latency>,
    pub free: Option<Latency>,
    pub samples: Vec<Sample>,
}

impl Printed {
    pub fn value(&self, name: &str) -> f64 {
        self.values.get(name).copied().unwrap_or_default()
    }
}

pub fn parse(text: &str) -> Result<Printed> {
    let mut printed = Printed::default();
    for line in text.lines() {
        read(line, &mut printed).with_context(|| format!("'{line}'"))?;
    }
    Ok(printed)
}

fn read(line: &str, into: &mut Printed) -> Option<()> {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |at: usize| words.get(at)?.parse::<f64>().ok();
    match words[0] {
        "value" => {
            into.values.insert(words.get(1)?.to_string(), number(2)?);
        }
        "latency" => {
            let latency =
                Latency { p50: number(3)?, p99: number(5)?, p999: number(6)?, worst: number(7)? };
            match *words.get(1)? {
                "allocate" => into.allocate = Some(latency),
                _ => into.free = Some(latency),
            }
        }
        "sample" => into.samples.push(Sample {
            ns: number(1)?,
            live: number(2)?,
            anonymous: number(3)?,
            in_blocks: number(4),
            in_threads: number(5),
            in_spans: number(6),
            kept: number(7),
        }),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    //! The lines of the replayer.
    use super::*;

    #[test]
    fn the_first_of_equal_samples_is_the_peak() {
        let of = |ns, anonymous| Sample { ns, anonymous, ..Sample::default() };
        let samples = [of(1.0, 5.0), of(2.0, 9.0), of(3.0, 9.0), of(4.0, 1.0)];
        assert_eq!(at_peak(&samples).map(|it| it.ns), Some(2.0));
        assert!(at_peak(&[]).is_none());
    }

    #[test]
    fn lines_are_read_and_others_refused() {
        let text = "value replay_cpu_s 1.5\nlatency free 10 1 2 3 4 5\nsample 1 2 3 - - 5 6\n";
        let printed = parse(text).expect("good");
        assert_eq!(printed.value("replay_cpu_s"), 1.5);
        assert_eq!(printed.free.map(|it| it.worst), Some(5.0));
        assert_eq!((printed.samples[0].in_blocks, printed.samples[0].kept), (None, Some(6.0)));
        for bad in ["value x", "latency free 1 2", "surprise", "sample 1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
