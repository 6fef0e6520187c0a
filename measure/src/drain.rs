//! Reads several pipes of a running child at once, each into a bounded buffer.
//!
//! A child that writes much must neither block nor fill our memory, and one that leaves a
//! background process holding its stderr must not keep us waiting.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::interrupt::Interrupt;

/// How long an interrupted program may take to end by itself before it is made to.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// Signals closer together than this are one.
const SAME_SIGNAL: Duration = Duration::from_millis(300);
const POLL_MS: i32 = 200;

/// One pipe and what is kept of it.
pub struct Drain {
    /// None once it is closed.
    pipe: Option<File>,
    kept: VecDeque<u8>,
    limit: usize,
    keeps_last: bool,
}

impl Drain {
    /// Keeps the first `limit` bytes of the pipe, if there is a pipe.
    pub fn keep_first(pipe: Option<impl Into<OwnedFd>>, limit: usize) -> Self {
        let pipe = pipe.map(|pipe| File::from(pipe.into()));
        Self { pipe, kept: VecDeque::new(), limit, keeps_last: false }
    }

    pub fn keep_last(pipe: Option<impl Into<OwnedFd>>, limit: usize) -> Self {
        Self { keeps_last: true, ..Self::keep_first(pipe, limit) }
    }

    pub fn into_text(self) -> String {
        let bytes: Vec<u8> = self.kept.into();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn read_once(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        let Some(pipe) = &mut self.pipe else {
            return Ok(());
        };
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.keep(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.keeps_last {
            self.kept.extend(bytes);
            let surplus = self.kept.len().saturating_sub(self.limit);
            self.kept.drain(..surplus);
        } else {
            let room = self.limit - self.kept.len();
            self.kept.extend(&bytes[..bytes.len().min(room)]);
        }
    }
}

/// Drains until the first of `drains`, the report, is closed, then takes what is left in the others
/// without waiting. After an interrupt the child gets a grace period, then `stop` is called, once.
pub fn drain_until_closed(
    drains: &mut [Drain],
    interrupt: &Interrupt,
    mut stop: impl FnMut(),
) -> Result<()> {
    let mut asked_at = None;
    let mut stopped = false;
    while drains.first().is_some_and(|report| report.pipe.is_some()) {
        read_ready(drains, POLL_MS)?;
        if interrupt.asked() && !stopped {
            let since: &Instant = asked_at.get_or_insert_with(Instant::now);
            if since.elapsed() >= SAME_SIGNAL {
                interrupt.arm();
            }
            if since.elapsed() >= INTERRUPT_GRACE {
                stop();
                stopped = true;
            }
        }
    }
    while read_ready(drains, 0)? {}
    Ok(())
}

/// Waits until a pipe has something and reads it; false when none had.
fn read_ready(drains: &mut [Drain], wait_ms: i32) -> Result<bool> {
    let watch = |drain: &Drain| libc::pollfd {
        // A negative descriptor is skipped by poll.
        fd: drain.pipe.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        events: libc::POLLIN,
        revents: 0,
    };
    let mut watched: Vec<_> = drains.iter().map(watch).collect();
    // SAFETY: the pointer and the length are those of one live vector.
    let ready = unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, wait_ms) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted {
            Ok(true)
        } else {
            Err(error.into())
        };
    }
    for (drain, watched) in drains.iter_mut().zip(&watched) {
        if watched.revents != 0 {
            drain.read_once()?;
        }
    }
    Ok(ready > 0)
}
