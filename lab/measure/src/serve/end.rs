//! The end of a server's run: how it came, and the judgement on it.

use std::time::Duration;

use anyhow::Result;

use crate::launch::{Ended, Exit};
use crate::service::Service;
use crate::signal::signal_name;

/// The reason why a server was not measured to the end.
pub enum Halt {
    Interrupted,
    /// The server ended by itself, at this time.
    Died(&'static str),
    /// One clause, and the last words of the command that failed.
    Failed(String, Option<String>),
    Error(anyhow::Error),
}

impl From<anyhow::Error> for Halt {
    fn from(error: anyhow::Error) -> Self {
        Self::Error(error)
    }
}

/// How the server came to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    ByItself,
    Asked,
    Forced,
}

/// The exit and the trouble that the caller sees.
pub fn conclude(
    service: &Service,
    mut ended: Ended,
    outcome: Result<f64, Halt>,
    stop: Stop,
) -> Result<Ended> {
    let signal = service.stop.0;
    let forked = ended.exit == Exit::Code(0) && ended.left_behind > 0;
    let hint = if forked { "; it must stay in the foreground, not become a daemon" } else { "" };
    let by_itself =
        |when: &str| format!("the server ended {when}, {}{hint}", ended.exit.describe_after());
    let by_signal = [Exit::Signal(signal), Exit::Code(128 + signal)].contains(&ended.exit);
    let stopped_well = match stop {
        Stop::Asked => by_signal || ended.exit == Exit::Code(0),
        _ => ended.exit == Exit::Code(0) && !forked,
    };
    let none = Exit::NotServed { code: None, signal: None };
    let own = Exit::NotServed { code: ended.exit.code(), signal: ended.exit.signal() };
    let mut said = None;
    let load_s = outcome.as_ref().ok().copied();
    let (exit, trouble) = match outcome {
        Err(Halt::Error(error)) => return Err(error),
        Err(Halt::Interrupted) => (Exit::Stopped, None),
        Err(Halt::Died(when)) => (own, Some(by_itself(when))),
        Err(Halt::Failed(clause, words)) => {
            said = words;
            (none, Some(clause))
        }
        Ok(_) if stop == Stop::Forced => {
            let (name, within) = (service.stop.name(), spell(service.stop_within));
            (none, Some(format!("the server did not stop within {within} of {name}")))
        }
        Ok(_) if stopped_well => (Exit::Code(0), None),
        Ok(_) if stop == Stop::ByItself => (own, Some(by_itself("during the load"))),
        Ok(_) => match ended.exit {
            Exit::Signal(other) => (
                own,
                Some(format!("the server was killed by {} as it stopped", signal_name(other))),
            ),
            // The caller judges it like the exit code of a program.
            exit => (exit, Some(format!("{} after {}", exit.describe(), service.stop.name()))),
        },
    };
    ended.costs.load_s = load_s;
    (ended.exit, ended.trouble) = (exit, trouble);
    match said {
        Some(words) => ended.stderr_tail = words,
        None if ended.stderr_tail.trim().is_empty() => ended.stderr_tail = tail(&ended.stdout),
        None => {}
    }
    Ok(ended)
}

/// Redis and others write their errors to stdout.
fn tail(stdout: &str) -> String {
    stdout.trim_end().to_string()
}

pub fn spell(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}
