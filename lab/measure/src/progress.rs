//! Progress on stderr: a bar with the time left on a terminal, plain lines elsewhere.

use std::cell::Cell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use heapsmith_trace::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Without a terminal, lines about the state are at least this far apart.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

const COUNTS: &str = "{pos}/{len} {eta} left";

pub struct Progress {
    bar: ProgressBar,
    shown: bool,
    /// When the last plain line was written.
    line_at: Cell<Instant>,
    /// Whether the bar shows the time spent rather than the runs made.
    timed: Cell<bool>,
}

impl Progress {
    /// `total` runs are ahead.
    pub fn new(total: usize) -> Self {
        Self::shown_if(stderr().is_terminal(), total)
    }

    /// Without a bar, which programs that show their output would write into.
    pub fn plain(total: usize) -> Self {
        Self::shown_if(false, total)
    }

    fn shown_if(shown: bool, total: usize) -> Self {
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        bar.set_style(style(COUNTS));
        if shown {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Self { bar, shown, line_at: Cell::new(Instant::now()), timed: Cell::new(false) }
    }

    /// The bar shows the share of `budget` that is used up; the count of runs ends.
    pub fn spend(&self, budget: Duration) {
        self.timed.set(true);
        self.bar.set_style(style(&format!("{{elapsed}} of {}", whole_seconds(budget))));
        self.bar.set_length(budget.as_millis() as u64);
        self.update_spent();
    }

    /// The bar counts runs again, of which `left` are ahead.
    pub fn count(&self, left: usize) {
        self.timed.set(false);
        self.bar.set_style(style(COUNTS));
        self.bar.set_position(0);
        self.bar.set_length(left as u64);
        self.bar.reset_eta();
    }

    /// Shows the current run.
    pub fn step(&self, what: &str) {
        self.bar.set_message(printable::name(what).into_owned());
        self.update_spent();
    }

    pub fn done_one(&self) {
        if self.timed.get() {
            self.update_spent();
        } else {
            self.bar.inc(1);
        }
    }

    /// The state so far: `table` above the bar on a terminal, elsewhere now and then `line`.
    pub fn show(&self, table: impl FnOnce() -> String, line: impl FnOnce() -> String) {
        if self.shown {
            self.bar.set_prefix(printable::coloured_lines(&table()).into_owned() + "\n");
        } else if self.line_at.get().elapsed() >= BETWEEN_LINES {
            self.note(&line());
        }
    }

    /// A line that stays.
    pub fn note(&self, line: &str) {
        let line = printable::lines(line);
        if self.shown {
            self.bar.suspend(|| eprintln!("{line}"));
        } else {
            eprintln!("{line}");
        }
        self.line_at.set(Instant::now());
    }

    /// Prints how long the rounds will take. Without a terminal nothing follows until the end.
    pub fn foretell(&self, what: &str, left: Duration) {
        self.note(&format!("{what}: about {} more", whole_seconds(left)));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn update_spent(&self) {
        if self.timed.get() {
            let length = self.bar.length().unwrap_or_default();
            self.bar.set_position((self.bar.elapsed().as_millis() as u64).min(length));
        }
    }
}

/// A bar, then `counts`, then the current run, all of it below the prefix.
fn style(counts: &str) -> ProgressStyle {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let drawn = if plain { "{bar:30}" } else { "{bar:30.cyan}" };
    let style = ProgressStyle::with_template(&format!("{{prefix}}{drawn} {counts}, {{msg}}"));
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸ ")
}

/// "1 row", "2 rows".
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// "1m 5s".
pub fn whole_seconds(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs_f64().round() as u64)).to_string()
}

#[cfg(test)]
mod tests {
    //! Counts and times as people read them.
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            (counted(1, "round"), counted(2, "round")),
            ("1 round".into(), "2 rounds".into())
        );
        assert_eq!(counted(0, "round"), "0 rounds");
    }

    #[test]
    fn times_are_rounded_to_seconds() {
        assert_eq!(whole_seconds(Duration::from_millis(64_600)), "1m 5s");
        assert_eq!(whole_seconds(Duration::ZERO), "0s");
    }
}
