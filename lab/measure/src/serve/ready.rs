//! Waiting until a server is ready.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use regex::Regex;

use crate::drain::{Drain, Tap};
use crate::launch::{Ended, Exit, Launcher};
use crate::process::Running;
use crate::program::Program;
use crate::service::Ready;

const CONNECT_WITHIN: Duration = Duration::from_millis(200);
const BETWEEN_COMMANDS: Duration = Duration::from_millis(20);
/// A command that takes longer waits for the server by itself.
const COMMAND_BEFORE_START: Duration = Duration::from_secs(1);
const LONGEST_LINE: usize = 64 << 10;

/// Why `ready` already holds, although the server has not been started.
pub fn taken(launcher: &Launcher, ready: &Ready) -> Result<Option<String>> {
    let why = match ready {
        Ready::Port(port) if accepts(*port) => {
            format!("port {port} is already in use: another process accepts connections there")
        }
        Ready::Command(command) => {
            let timeout = Some(COMMAND_BEFORE_START);
            let (mut running, shell) = start(&Launcher { timeout, ..launcher.clone() }, command)?;
            running.drain_until_closed(launcher.interrupt)?;
            if running.finish(&shell)?.exit != Exit::Code(0) {
                return Ok(None);
            }
            "the command of --ready succeeds before the server is started: is another server \
             running?"
                .to_string()
        }
        _ => return Ok(None),
    };
    Ok(Some(why))
}

/// Watches one server for the condition.
pub struct Watch<'a> {
    launcher: Launcher<'a>,
    ready: &'a Ready,
    line_seen: Rc<Cell<bool>>,
    command: Option<(Running, Program)>,
    next_command: Instant,
    /// How the command ended the last time.
    last: Option<Ended>,
}

impl<'a> Watch<'a> {
    pub fn new(launcher: &Launcher<'a>, ready: &'a Ready) -> Self {
        Self {
            launcher: launcher.clone(),
            ready,
            line_seen: Rc::default(),
            command: None,
            next_command: Instant::now(),
            last: None,
        }
    }

    /// For the server's stdout and stderr.
    pub fn taps(&self) -> [Tap; 2] {
        [(); 2].map(|()| match self.ready {
            Ready::Line(pattern) => line_tap(pattern.clone(), Rc::clone(&self.line_seen)),
            _ => Box::new(|_: &[u8]| {}),
        })
    }

    pub fn drains(&mut self) -> Option<[&mut Drain; 3]> {
        self.command.as_mut().map(|(running, _)| running.drains())
    }

    /// Whether the server is ready now. To be called again and again.
    pub fn check(&mut self) -> Result<bool> {
        match self.ready {
            Ready::Port(port) => Ok(accepts(*port)),
            Ready::Line(_) => Ok(self.line_seen.get()),
            Ready::Command(command) => match self.command.take() {
                None if Instant::now() < self.next_command => Ok(false),
                None => {
                    self.command = Some(start(&self.launcher, command)?);
                    Ok(false)
                }
                Some((running, shell)) if running.is_over() => {
                    let ended = running.finish(&shell)?;
                    self.next_command = Instant::now() + BETWEEN_COMMANDS;
                    let ready = ended.exit == Exit::Code(0);
                    self.last = Some(ended);
                    Ok(ready)
                }
                waiting => {
                    self.command = waiting;
                    Ok(false)
                }
            },
        }
    }

    /// One clause on what has not happened.
    pub fn unmet(&self) -> String {
        match self.ready {
            Ready::Port(port) => format!("nothing accepts connections on port {port}"),
            Ready::Line(pattern) => format!(
                "it has written no line that matches /{pattern}/ (many programs hold lines back \
                 while stdout is not a terminal)"
            ),
            Ready::Command(_) => match &self.last {
                Some(ended) => {
                    let said = ended.stderr_tail.lines().next_back().unwrap_or_default();
                    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                    let how = ended.exit.describe_after();
                    format!("the command of --ready still fails, {how}{said}")
                }
                None => "the command of --ready does not end".to_string(),
            },
        }
    }
}

fn start(launcher: &Launcher, command: &str) -> Result<(Running, Program)> {
    let shell = Program::shell(command)?;
    let launcher = Launcher { input: None, service: None, ..launcher.clone() };
    let silent = [(); 2].map(|()| Box::new(|_: &[u8]| {}) as Tap);
    Ok((Running::start_tapped(&launcher.quietly(), &shell, &[], silent)?, shell))
}

fn accepts(port: u16) -> bool {
    // Some servers listen on one of the two only.
    let hosts: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    hosts.into_iter().any(|host| {
        let address = SocketAddr::new(host, port);
        let stream = TcpStream::connect_timeout(&address, CONNECT_WITHIN);
        // A port from the range of outgoing connections may connect to itself.
        stream.is_ok_and(|stream| stream.local_addr().is_ok_and(|own| own != address))
    })
}

fn line_tap(pattern: Regex, seen: Rc<Cell<bool>>) -> Tap {
    let mut line: Vec<u8> = Vec::new();
    Box::new(move |bytes| {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST_LINE - line.len();
            line.extend(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                let text = String::from_utf8_lossy(&line);
                seen.set(seen.get() || pattern.is_match(text.trim_end_matches(['\n', '\r'])));
                line.clear();
            }
        }
    })
}

#[cfg(test)]
mod tests {
    //! Lines that arrive in parts, and ports.
    use super::*;

    #[test]
    fn lines_are_matched_whole_though_they_come_in_parts() {
        let seen = Rc::new(Cell::new(false));
        let mut tap = line_tap(Regex::new("^ready$").expect("sound"), Rc::clone(&seen));
        for part in ["not ready\nre", "ad", "y or not\n", "ready"] {
            tap(part.as_bytes());
            assert!(!seen.get(), "{part}");
        }
        tap(b"\r\nmore\n");
        assert!(seen.get());
    }

    #[test]
    fn a_port_accepts_as_long_as_somebody_listens() {
        // Below the range from which the system gives ports to others.
        let bind = |port| Some((std::net::TcpListener::bind(("127.0.0.1", port)).ok()?, port));
        let (listener, port) = (30_000..32_000).find_map(bind).expect("a port");
        assert!(accepts(port));
        drop(listener);
        assert!(!accepts(port));
    }
}
