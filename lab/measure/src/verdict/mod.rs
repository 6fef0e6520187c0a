//! The verdict: which allocator to switch to, or why to keep the present one, or why nobody can
//! tell. Terminal, JSON and page show what [`judge`] returns and add nothing.
//!
//! | step | module |
//! |---|---|
//! | how sure a statement must be, and when to look at the rounds | [`rules`] |
//! | which metric answers which goal | [`goal`] |
//! | one row: every contender against the baseline in every goal | [`compare`] |
//! | one row: the contender to switch to | [`choose`] |
//! | the targets of benchmark suites | [`target`] |
//! | sentences | [`words`], [`single`], [`suite`], [`failed`] |
//! | runs that fail now and then, under one contender or under all | [`chance`] |
//!
//! All are pure functions: they read rows and write nothing. docs/verdict.md explains the method.

pub mod chance;
pub mod choose;
pub mod compare;
pub mod failed;
pub mod goal;
pub mod judgement;
pub mod rules;
pub mod single;
pub mod suite;
pub mod target;
pub mod words;

use crate::record::Failed;
use crate::row::Row;

pub use compare::is_decided;
pub use goal::Goal;
pub use judgement::{Advice, Comparison, GoalVerdict, Judgement, Kind, Outcome};
pub use rules::Rules;
pub use target::Reached;

use compare::Compared;

/// Judges `rows`, each against its series `baseline`. `lines` gives the line that runs the program
/// under a contender.
pub fn judge(
    rows: &[Row],
    failures: &[Failed],
    baseline: &str,
    rules: &Rules,
    lines: &dyn Fn(&str) -> String,
) -> Judgement {
    let compared = compare::compared(rows, baseline, rules);
    let miss = rules.miss(compared);
    let tables: Vec<Compared> = rows
        .iter()
        .map(|row| {
            let mut table = Compared::of(row, baseline, rules, miss);
            table.exclude(|name| failed::has_failed(failures, row, name));
            table
        })
        .collect();
    let mut judgement = match tables.as_slice() {
        [] => Judgement::empty(rules, compared),
        [one] => single::judge(one, rules, compared, lines),
        many => suite::judge(many, rules, compared),
    };
    judgement.comparisons = tables.iter().flat_map(Compared::comparisons).collect();
    failed::put_first(&mut judgement, rows, failures, baseline);
    judgement
}

#[cfg(test)]
mod tests;
