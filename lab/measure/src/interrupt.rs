//! Ctrl-C and SIGTERM: the first ends the rounds and keeps their results, the next ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::error::INTERRUPTED;

/// Signals closer together than this are one.
const SAME_SIGNAL: Duration = Duration::from_millis(300);

/// Ctrl-C of a shell that runs us in the background, or a hang-up under nohup, stays ignored.
pub fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action sigaction only writes the old one, into a struct of its type.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// A write beyond the limit of a file's size fails from now on, as on a full disk. The signal for it
/// would kill the command.
pub fn survive_large_files() -> Result<()> {
    if !is_ignored(SIGXFSZ) {
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Set once the next signal is to exit at once.
    armed: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on; the measured program gets the terminal's signals itself.
    pub fn listen() -> Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if is_ignored(signal) {
                continue;
            }
            let armed = Arc::clone(&interrupt.armed);
            flag::register_conditional_shutdown(signal, INTERRUPTED.into(), armed)?;
            flag::register(signal, Arc::clone(&interrupt.asked))?;
        }
        Ok(interrupt)
    }

    /// Makes the next signal end the command, if this much time has passed since the first one:
    /// `timeout` sends the same signal twice in a row, to the process and to its group, and means
    /// one.
    pub fn arm_after(&self, since_first: Duration) {
        if since_first >= SAME_SIGNAL {
            self.armed.store(true, Ordering::Relaxed);
        }
    }

    pub fn asked(&self) -> bool {
        // Pairs with the signal handler's store; no other data is published by it.
        self.asked.load(Ordering::Relaxed)
    }
}
