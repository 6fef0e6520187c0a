//! A line of the verdict.

use heapsmith_measure::stats::Estimate;
use heapsmith_measure::verdict::Reached;
use heapsmith_measure::verdict::target::half_width;

use crate::bench::Doubt;

/// A sentence about a target, or about rows without one.
pub struct Line {
    pub text: String,
    /// None where there is no target.
    pub reached: Option<Reached>,
    /// The rows whose further rounds would narrow the interval, if it is too wide.
    pub doubts: Vec<Doubt>,
}

impl Line {
    pub fn about(text: String) -> Self {
        Self { text, reached: None, doubts: Vec::new() }
    }

    pub fn judged(text: String, reached: Reached, doubts: impl FnOnce() -> Vec<Doubt>) -> Self {
        let doubts = if reached == Reached::CannotTell { doubts() } else { Vec::new() };
        Self { text, reached: Some(reached), doubts }
    }
}

/// The words for `target`, which was judged by `estimate`.
pub fn words(reached: Reached, estimate: &Estimate, target: f64) -> String {
    match reached {
        Reached::Met => "met".to_string(),
        Reached::Missed => "missed".to_string(),
        Reached::CannotTell => {
            let width = 100.0 * half_width(estimate, target);
            format!("cannot tell: the interval is ±{width:.0} % wide")
        }
    }
}
