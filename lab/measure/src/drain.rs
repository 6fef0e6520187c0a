//! Reads several pipes of a running child at once, each into a bounded buffer.
//!
//! A child that writes much must neither block nor fill our memory, and one that leaves a
//! background process holding its stderr must not keep us waiting.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};

use anyhow::Result;

/// Gets all bytes of a pipe as they come.
pub type Tap = Box<dyn FnMut(&[u8])>;

/// One pipe and what is kept of it.
pub struct Drain {
    /// None once it is closed.
    pipe: Option<File>,
    kept: VecDeque<u8>,
    limit: usize,
    keeps_last: bool,
    tap: Option<Tap>,
}

impl Drain {
    /// Keeps the first `limit` bytes of the pipe, if there is a pipe.
    pub fn keep_first(pipe: Option<impl Into<OwnedFd>>, limit: usize) -> Self {
        let pipe = pipe.map(|pipe| File::from(pipe.into()));
        Self { pipe, kept: VecDeque::new(), limit, keeps_last: false, tap: None }
    }

    pub fn keep_last(pipe: Option<impl Into<OwnedFd>>, limit: usize) -> Self {
        Self { keeps_last: true, ..Self::keep_first(pipe, limit) }
    }

    /// Keeps the last `limit` bytes from now on, and hands all bytes to `tap`.
    pub fn tap(&mut self, limit: usize, tap: Tap) {
        (self.limit, self.keeps_last, self.tap) = (limit, true, Some(tap));
    }

    pub fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.kept.make_contiguous()).into_owned()
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
        if let Some(tap) = &mut self.tap {
            tap(bytes);
        }
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

/// Waits until a pipe has something and reads it; false when none had.
pub fn read_ready(drains: &mut [&mut Drain], wait_ms: i32) -> Result<bool> {
    let watch = |drain: &&mut Drain| libc::pollfd {
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
