//! A contender under which the program could not be measured, and why.

use serde::{Deserialize, Serialize};

use crate::launch::Ended;
use crate::signal::signal_name;

/// One failure as results and the page carry it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub contender: String,
    pub exit: Option<i32>,
    pub signal: Option<String>,
    pub why: String,
    pub stderr_tail: String,
}

impl Failure {
    /// The program ran under `contender` and ended badly.
    pub fn of_run(contender: &str, ended: &Ended) -> Self {
        let why = ended.trouble.clone().unwrap_or_else(|| ended.exit.describe());
        Self::new(contender, why, ended)
    }

    /// The allocator was not the one that served malloc.
    pub fn of_loading(contender: &str, why: String, ended: &Ended) -> Self {
        Self::new(contender, why, ended)
    }

    /// The program ended well but printed the wrong result.
    pub fn of_check(contender: &str, why: String, ended: &Ended) -> Self {
        Self::new(contender, why, ended)
    }

    fn new(contender: &str, why: String, ended: &Ended) -> Self {
        let (exit, signal) = (ended.exit.code(), ended.exit.signal().map(signal_name));
        let stderr_tail = ended.stderr_tail.trim_end().to_string();
        Self { contender: contender.to_string(), exit, signal, why, stderr_tail }
    }

    /// One line: the contender, the reason, and the last thing the program said.
    pub fn line(&self) -> String {
        format!("{}: {}", self.contender, self.reason())
    }

    /// The same without the contender.
    pub fn reason(&self) -> String {
        match self.stderr_tail.lines().next_back() {
            Some(last) => format!("{}: {last}", self.why),
            None => self.why.clone(),
        }
    }
}
