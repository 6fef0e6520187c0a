//! Waits for a program. Signals that would end the command end the program instead, so that its
//! recording is kept.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::OnceLock;

use heapsmith_measure::interrupt::is_ignored;

/// Ctrl-C, Ctrl-\, `kill`, and a terminal that goes away.
const PASSED_ON: [i32; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// A program that ends without a signal is seen after this time.
const PAUSE: libc::timespec = libc::timespec { tv_sec: 1, tv_nsec: 0 };

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset fills the set, and sigaddset changes it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for &signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Has the signals wait. Returns: those that waited when the command was started.
fn hold(awaited: &libc::sigset_t) -> libc::sigset_t {
    static AT_START: OnceLock<libc::sigset_t> = OnceLock::new();
    let mut before = MaybeUninit::uninit();
    // SAFETY: both are sets; the old one is written.
    let before = unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, awaited, before.as_mut_ptr());
        before.assume_init()
    };
    *AT_START.get_or_init(|| before)
}

/// Runs the program to its end. Returns: how it ended, and whether a signal came that is to end the
/// command. From then on, such signals wait: what follows is done to its end.
pub fn run(command: &mut Command) -> io::Result<(ExitStatus, bool)> {
    let awaited = set_of(&[passed_on(), vec![libc::SIGCHLD]].concat());
    let before = hold(&awaited);
    // SAFETY: pthread_sigmask may be called between fork and exec. The program has the signals
    // that the command was started with.
    unsafe {
        command.pre_exec(move || {
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let mut is_to_end = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, is_to_end));
        }
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: the set, the struct and the time are of their types.
        let signal = unsafe { libc::sigtimedwait(&awaited, info.as_mut_ptr(), &PAUSE) };
        if PASSED_ON.contains(&signal) {
            is_to_end = true;
            // SAFETY: sigtimedwait has filled it.
            pass_on(&child, signal, unsafe { info.assume_init() }.si_code);
        }
    }
}

/// From here on, a signal that would end the command has `clean` run before.
pub fn clean_before_end(clean: impl FnOnce() + Send + 'static) {
    let awaited = passed_on();
    hold(&set_of(&awaited));
    std::thread::spawn(move || {
        let mut signal = 0;
        // SAFETY: the set and the number are of their types.
        if unsafe { libc::sigwait(&set_of(&awaited), &mut signal) } == 0 {
            clean();
            std::process::exit(128 + signal);
        }
    });
}

/// Without those that stay ignored.
fn passed_on() -> Vec<i32> {
    PASSED_ON.into_iter().filter(|&signal| !is_ignored(signal)).collect()
}

/// A terminal sends its signals to the program, too.
fn pass_on(child: &Child, signal: i32, code: i32) {
    if code != libc::SI_KERNEL {
        // SAFETY: the child has not been waited for, so the id is still its own.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
    }
}
