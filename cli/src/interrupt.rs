//! Ctrl-C and SIGTERM: the first ends the rounds and keeps what there is, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::INTERRUPTED;

/// Ctrl-C of a shell that runs us in the background, or a hang-up under nohup, stays ignored.
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action sigaction only writes the old one, into a struct of its type.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on; the measured program gets the terminal's signals itself.
    pub fn listen() -> Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if is_ignored(signal) {
                continue;
            }
            // In this order: a signal that finds the flag already set ends the process.
            flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self { asked })
    }

    pub fn asked(&self) -> bool {
        // Pairs with the store in the signal handler; no other data goes with it.
        self.asked.load(Ordering::Relaxed)
    }
}
