//! One of the files that are read.

use crate::lines::Line;
use crate::record::Sample;
use crate::verdict::Judgement;

/// A file with the name that tells its workloads from those of other files.
pub struct File {
    pub path: String,
    pub label: String,
    pub lines: Vec<Line>,
}

impl File {
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.lines.iter().filter_map(|line| match line {
            Line::Sample(sample) => Some(&**sample),
            _ => None,
        })
    }

    pub fn verdict(&self) -> Option<&Judgement> {
        self.lines.iter().find_map(|line| match line {
            Line::Verdict(verdict) => Some(verdict),
            _ => None,
        })
    }

    /// The baseline of its verdict, or else of its first ratio.
    pub fn baseline(&self) -> Option<&str> {
        let first = self.verdict().and_then(|verdict| verdict.comparisons.first());
        let judged = first.map(|one| one.baseline.as_str());
        let compared = || {
            self.lines.iter().find_map(|line| match line {
                Line::Ratio(ratio) => Some(ratio.baseline.as_str()),
                _ => None,
            })
        };
        judged.or_else(compared)
    }
}
