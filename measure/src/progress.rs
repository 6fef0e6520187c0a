//! Progress on stderr: a bar with the time left on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub struct Progress {
    bar: ProgressBar,
    shown: bool,
}

impl Progress {
    /// `total` runs are ahead.
    pub fn new(total: usize) -> Self {
        // While the program shows its own output a bar would be drawn into it.
        let shown = stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let drawn = if plain { "{bar:30}" } else { "{bar:30.cyan}" };
        let template = format!("{drawn} {{pos}}/{{len}} {{eta}} left, {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        if shown {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Self { bar, shown }
    }

    /// Shows the current run.
    pub fn step(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    pub fn done_one(&self) {
        self.bar.inc(1);
    }

    /// A line that stays.
    pub fn note(&self, line: &str) {
        if self.shown {
            self.bar.suspend(|| eprintln!("{line}"));
        } else {
            eprintln!("{line}");
        }
    }

    /// Prints how long the rounds will take. Without a terminal nothing follows until the end.
    pub fn foretell(&self, what: &str, left: Duration) {
        self.note(&format!("{what}: about {} more", whole_seconds(left)));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// "1 row", "2 rows".
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// "1m 5s".
pub fn whole_seconds(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}
