//! Runs the commands of a build: several at once, into one log, and stopped by an interrupt.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use heapsmith_measure::error;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::progress::Progress;

const POLL: Duration = Duration::from_millis(20);
const ENDS_WITHIN: Duration = Duration::from_secs(2);
const SHOWN_LINES: usize = 3;

/// A command with the words that progress and errors use for it.
pub struct Step {
    what: String,
    command: Command,
    /// The file that its output goes to, instead of the log.
    output: Option<File>,
}

impl Step {
    pub fn new(what: impl Into<String>, command: Command) -> Self {
        Self { what: what.into(), command, output: None }
    }

    pub fn into_file(self, file: File) -> Self {
        Self { output: Some(file), ..self }
    }
}

pub struct Steps<'a> {
    pub interrupt: &'a Interrupt,
    pub progress: &'a Progress,
    /// The allocator that is being built.
    pub name: String,
    pub log: PathBuf,
}

impl Steps<'_> {
    pub fn run(&self, step: Step) -> Result<()> {
        self.run_all(vec![step], 1)
    }

    /// Runs `steps` in any order, `at_once` at a time. The first failure ends the others.
    pub fn run_all(&self, steps: Vec<Step>, at_once: usize) -> Result<()> {
        let mut running: Vec<(String, Child)> = Vec::new();
        let done = self.drive(steps, at_once, &mut running);
        stop(&mut running);
        done
    }

    fn drive(
        &self,
        steps: Vec<Step>,
        at_once: usize,
        running: &mut Vec<(String, Child)>,
    ) -> Result<()> {
        let mut waiting = steps.into_iter().peekable();
        while waiting.peek().is_some() || !running.is_empty() {
            if self.interrupt.asked() {
                return Err(interrupted(&self.name));
            }
            self.reap(running)?;
            while running.len() < at_once {
                let Some(step) = waiting.next() else { break };
                self.progress.step(&format!("{}: {}", self.name, step.what));
                running.push((step.what.clone(), self.start(step)?));
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    fn reap(&self, running: &mut Vec<(String, Child)>) -> Result<()> {
        let mut at = 0;
        while at < running.len() {
            let (what, child) = &mut running[at];
            let Some(status) = child.try_wait().context("waiting for a build step")? else {
                at += 1;
                continue;
            };
            if !status.success() {
                return Err(anyhow!("{what} failed ({status}){}", self.last_words()));
            }
            running.swap_remove(at);
            self.progress.done_one();
        }
        Ok(())
    }

    fn start(&self, step: Step) -> Result<Child> {
        let Step { what, mut command, output } = step;
        let log = File::options().create(true).append(true).open(&self.log)?;
        // A group of its own, so that an interrupt ends the children of make, too.
        command.process_group(0).stdin(Stdio::null());
        let stdout = output.map_or_else(|| log.try_clone(), Ok)?;
        command.stdout(stdout).stderr(log);
        command.spawn().with_context(|| format!("{what}: starting {:?}", command.get_program()))
    }

    /// The errors that the log ends with.
    fn last_words(&self) -> String {
        let text = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let says_error = |line: &&str| line.to_lowercase().contains("error:");
        let mut lines: Vec<&str> = text.lines().filter(says_error).take(SHOWN_LINES).collect();
        if lines.is_empty() {
            lines = text.lines().rev().take(SHOWN_LINES).collect();
            lines.reverse();
        }
        lines.iter().map(|line| format!("\n    {}", line.trim())).collect()
    }
}

pub fn interrupted(name: &str) -> anyhow::Error {
    error::interrupted(format!("interrupted: {name} was not installed"))
}

/// Asks the steps to end, and kills those that do not.
fn stop(running: &mut Vec<(String, Child)>) {
    signal(running, libc::SIGTERM);
    let began = Instant::now();
    while !running.is_empty() && began.elapsed() < ENDS_WITHIN {
        running.retain_mut(|(_, child)| matches!(child.try_wait(), Ok(None)));
        std::thread::sleep(POLL);
    }
    signal(running, libc::SIGKILL);
    for (_, child) in running {
        // It ends because it was killed: its status says nothing.
        let _ = child.wait();
    }
}

fn signal(running: &[(String, Child)], signal: i32) {
    for (_, child) in running {
        // SAFETY: kill has no preconditions; the child was not waited for, so the group is its own.
        unsafe { libc::kill(-(child.id() as libc::pid_t), signal) };
    }
}
