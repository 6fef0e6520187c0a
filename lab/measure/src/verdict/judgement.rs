//! The verdict as data: the same object on the terminal, in JSON and in the page.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::goal::Goal;
use super::rules::Rules;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    pub kind: Kind,
    /// One sentence.
    pub headline: String,
    pub advice: Option<Advice>,
    /// What to do when it cannot tell, or when something failed.
    pub remedy: Option<String>,
    pub goals: Vec<GoalVerdict>,
    pub comparisons: Vec<Comparison>,
    pub smallest_gain: f64,
    /// The probability that all outcomes are right together.
    pub confidence: f64,
    /// How many comparisons share that probability.
    pub compared: usize,
    /// Each row is right with that probability by itself, as in suites.
    #[serde(default)]
    pub each_row: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A contender gains and loses nothing measurable.
    Switch,
    /// Every gain has a price, which the headline names.
    Trade,
    /// Nothing gains.
    Keep,
    /// The intervals are too wide, or there are too few rounds for intervals.
    CannotTell,
    /// The program fails under a contender.
    Failure,
    /// Many workloads, which have no winner in common.
    Suite,
}

/// A contender, and the line that runs the program under it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    pub contender: String,
    pub line: String,
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalVerdict {
    pub goal: Goal,
    /// The contender that reaches the goal best, if one gains.
    pub contender: Option<String>,
    pub outcome: Outcome,
    pub sentence: String,
}

/// A contender against the baseline, in one metric of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    pub baseline: String,
    pub metric: String,
    pub n: usize,
    /// Of the ratios of the single rounds.
    pub median: Option<f64>,
    /// The ends of the corrected interval; none if there are too few rounds for one.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Better,
    Worse,
    /// The interval lies within the smallest gain, on both sides of 1.
    Equal,
    /// The interval is too wide, or there are too few rounds for one.
    Unclear,
    /// Not measured.
    Missing,
}

impl Judgement {
    /// Nothing was measured.
    pub fn empty(rules: &Rules, compared: usize) -> Self {
        Self::new(Kind::CannotTell, "Cannot tell: nothing was measured.".into(), rules, compared)
    }

    /// Adds clauses to the headline.
    pub fn add(&mut self, clauses: &[String]) {
        for clause in clauses {
            self.headline = format!("{}; {clause}.", self.headline.trim_end_matches('.'));
        }
    }

    pub fn new(kind: Kind, headline: String, rules: &Rules, compared: usize) -> Self {
        Self {
            kind,
            headline,
            advice: None,
            remedy: None,
            goals: Vec::new(),
            comparisons: Vec::new(),
            smallest_gain: rules.smallest_gain,
            confidence: rules.confidence,
            compared,
            each_row: rules.each_row,
        }
    }
}
