//! The table of `heapsmith diff`. On narrow screens cells become higher, then old and new values go.

use heapsmith_measure::diff::{Change, Diff, Outcome, Side};
use heapsmith_measure::screen::Screen;
use heapsmith_measure::stats::Verdict;
use heapsmith_measure::table::{Cell, Table, judged_cell};

/// How much of the table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Wide,
    /// Names, values, and intervals below each other.
    High,
    /// The same without the values.
    Changes,
}

/// None if there is nothing to show.
pub fn fitting(screen: &Screen, diff: &Diff, all: bool) -> Option<Table> {
    let wanted = |change: &&Change| all || change.outcome != Outcome::Within;
    let changes: Vec<&Change> = diff.changes.iter().filter(wanted).collect();
    if changes.is_empty() {
        return None;
    }
    let forms = [Form::Wide, Form::High, Form::Changes];
    let tables = forms.into_iter().map(|form| table(screen, &changes, form));
    screen.first_that_fits(tables, |table| table)
}

fn table(screen: &Screen, changes: &[&Change], form: Form) -> Table {
    let mut table = screen.table();
    let head = |text: &str| judged_cell(text.to_string(), None);
    let mut heads = match form {
        Form::Wide => vec![Cell::new("workload"), Cell::new("allocator"), Cell::new("metric")],
        Form::High | Form::Changes => vec![Cell::new("workload\nallocator"), Cell::new("metric")],
    };
    match form {
        Form::Wide => heads.extend([head("old"), head("new")]),
        Form::High => heads.push(head("old\nnew")),
        Form::Changes => (),
    }
    heads.extend([head("change"), Cell::new("")]);
    table.set_header(heads);
    for change in changes {
        table.add_row(cells(change, form));
    }
    table
}

fn cells(change: &Change, form: Form) -> Vec<Cell> {
    let (ratio, interval) = change.shown();
    let (word, verdict) = outcome(change.outcome);
    let between = if form == Form::Wide { ' ' } else { '\n' };
    let allocator = allocator(change, between);
    let label = change.label();
    let metric = change.metric.title();
    let value = |side: &Side| change.metric.show(side.median);
    let (old, new) = (value(&change.old), value(&change.new));
    let cell = |text: String| judged_cell(text, None);
    let mut cells = match form {
        Form::Wide => vec![Cell::new(label), Cell::new(allocator), Cell::new(metric)],
        Form::High | Form::Changes => {
            vec![Cell::new(format!("{label}\n{allocator}")), Cell::new(metric)]
        }
    };
    match form {
        Form::Wide => cells.extend([cell(old), cell(new)]),
        Form::High => cells.push(cell(format!("{old}\n{new}"))),
        Form::Changes => (),
    }
    cells.push(judged_cell(format!("{ratio}{between}{interval}"), verdict));
    cells.push(Cell::new(word));
    cells
}

/// The name, with both versions if they differ.
fn allocator(change: &Change, between: char) -> String {
    let (old, new) = (&change.old.version, &change.new.version);
    match old == new {
        true => change.contender.clone(),
        false => format!("{}{between}{old} → {new}", change.contender),
    }
}

fn outcome(outcome: Outcome) -> (&'static str, Option<Verdict>) {
    match outcome {
        Outcome::Regression => ("regression", Some(Verdict::Worse)),
        Outcome::Worse => ("worse", Some(Verdict::Worse)),
        Outcome::Better => ("better", Some(Verdict::Better)),
        Outcome::Within => ("≈", None),
        Outcome::CannotTell => ("cannot tell", None),
    }
}

#[cfg(test)]
mod tests {
    //! The forms on screens of 60, 80 and 120 columns.
    use super::*;
    use heapsmith_measure::metric::Metric;
    use serde_json::Map;

    fn change(outcome: Outcome, ratio: f64) -> Change {
        let side = |version: &str, median| Side { version: version.into(), n: 11, median };
        Change {
            suite: "try".into(),
            workload: "server --port 7391".into(),
            params: Map::new(),
            contender: "jemalloc".into(),
            metric: Metric::Wall,
            unit: "s",
            old: side("5.3.0", 1.5),
            new: side("5.3.1", 1.5 * ratio),
            ratio,
            low: Some(ratio - 0.0123),
            high: Some(ratio + 0.0123),
            outcome,
        }
    }

    fn text(width: usize, all: bool) -> String {
        let changes = vec![change(Outcome::Regression, 1.08), change(Outcome::Within, 1.001)];
        let diff = Diff { changes, ..Diff::default() };
        let table = fitting(&Screen::plain(Some(width)), &diff, all).expect("a change");
        table.to_string()
    }

    #[test]
    fn every_form_fits_its_screen() {
        for width in [60, 80, 120] {
            let text = text(width, true);
            let longest = text.lines().map(|line| line.trim_end().chars().count()).max();
            assert!(longest.is_some_and(|longest| longest <= width), "{width}: {text}");
            for word in ["wall time", "×1.08", "[1.07, 1.09]", "regression", "5.3.0 → 5.3.1"] {
                assert!(text.contains(word), "{word} at {width}: {text}");
            }
        }
        assert!(text(120, false).contains("×1.08 [1.07, 1.09]"), "{}", text(120, false));
        assert!(text(80, false).contains("1.50 s"), "{}", text(80, false));
        assert!(!text(60, false).contains("1.50 s"), "{}", text(60, false));
    }

    #[test]
    fn comparisons_without_a_change_are_shown_on_request() {
        assert!(!text(120, false).contains('≈') && text(120, true).contains('≈'));
        let diff = Diff { changes: vec![change(Outcome::Within, 1.0)], ..Diff::default() };
        assert!(fitting(&Screen::plain(None), &diff, false).is_none());
    }
}
