//! The description of a server: when it is ready, what loads it, how it stops.

use std::str::FromStr;
use std::time::Duration;

use regex::Regex;
use signal_hook::low_level::signal_name;

use crate::suggest::did_you_mean;

const LAST_SIGNAL: i32 = 31;

/// A server's description.
#[derive(Clone, Debug)]
pub struct Service {
    pub ready: Ready,
    /// A command for `sh -c`. It runs with the caller's environment, not under the contender.
    pub load: String,
    pub stop: StopSignal,
    pub ready_within: Duration,
    pub stop_within: Duration,
}

impl Service {
    pub fn new(ready: Ready, load: impl Into<String>) -> Self {
        Self {
            ready,
            load: load.into(),
            stop: StopSignal(libc::SIGTERM),
            ready_within: Duration::from_secs(30),
            stop_within: Duration::from_secs(10),
        }
    }
}

/// The condition under which a server takes requests: the value of `--ready`.
#[derive(Clone, Debug)]
pub enum Ready {
    /// 127.0.0.1 or ::1 accepts connections on this port.
    Port(u16),
    /// The server has written a line that matches, to stdout or stderr.
    Line(Regex),
    /// This command for `sh -c` exits with code 0. It is repeated until then.
    Command(String),
}

impl FromStr for Ready {
    type Err = String;

    /// A number is a port, `/text/` a regular expression, anything else a command.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("expected a port, /regex/ or a command".to_string());
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let port = text.parse().ok().filter(|port| *port > 0);
            return port.map(Self::Port).ok_or("a port is from 1 to 65535".to_string());
        }
        let inside = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        match inside.filter(|inside| !inside.is_empty()) {
            Some(pattern) => Regex::new(pattern).map(Self::Line).map_err(|error| error.to_string()),
            None => Ok(Self::Command(text.to_string())),
        }
    }
}

/// The signal that asks a server to stop: the value of `--stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopSignal(pub(crate) i32);

impl StopSignal {
    pub fn name(self) -> String {
        crate::signal::signal_name(self.0)
    }
}

impl FromStr for StopSignal {
    type Err = String;

    /// A name such as `TERM` or `SIGTERM`, in any case, or a number.
    fn from_str(text: &str) -> Result<Self, String> {
        let upper = text.to_ascii_uppercase();
        let short = upper.strip_prefix("SIG").unwrap_or(&upper);
        let known: Vec<(i32, &str)> = (1..=LAST_SIGNAL)
            .filter_map(|number| Some((number, signal_name(number)?.strip_prefix("SIG")?)))
            .collect();
        let number: Option<i32> = short.parse().ok();
        let fits = |(signal, name): &&(i32, &str)| *name == short || number == Some(*signal);
        match known.iter().find(fits) {
            Some((signal, _)) => Ok(Self(*signal)),
            None => {
                let names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
                Err(format!("no signal is called '{text}'{}", did_you_mean(short, &names)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Reading `--ready` and `--stop`.
    use super::*;

    #[test]
    fn a_number_is_a_port_and_slashes_enclose_a_regular_expression() {
        assert!(matches!("7391".parse(), Ok(Ready::Port(7391))));
        assert!("0".parse::<Ready>().is_err() && "65536".parse::<Ready>().is_err());
        assert!("".parse::<Ready>().is_err() && "/(/".parse::<Ready>().is_err());
        let Ok(Ready::Line(line)) = "/^Ready to/".parse() else { panic!("not a line") };
        assert!(line.is_match("Ready to accept connections"));
        let Ok(Ready::Command(command)) = "redis-cli ping".parse() else { panic!("no command") };
        assert_eq!(command, "redis-cli ping");
        assert!(matches!("/usr/bin/true".parse(), Ok(Ready::Command(_))));
    }

    #[test]
    fn signals_have_names_and_numbers() {
        for text in ["TERM", "term", "SIGTERM", "15"] {
            assert_eq!(text.parse(), Ok(StopSignal(libc::SIGTERM)), "{text}");
        }
        assert_eq!("INT".parse::<StopSignal>().map(StopSignal::name), Ok("SIGINT".to_string()));
        for text in ["", "0", "99", "TERMINATE"] {
            assert!(text.parse::<StopSignal>().is_err(), "{text}");
        }
    }
}
