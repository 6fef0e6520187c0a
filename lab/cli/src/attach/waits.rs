//! Waits in system calls, and what an interruption would change about each.

use std::fs::{self, File};
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileTypeExt;

use libc::{c_int, c_long, pid_t};

use super::process::Process;
use super::system_calls::{Call, IO_PGETEVENTS};

/// What becomes of a wait if a tracer stops the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The kernel continues it, with the rest of its time.
    Continued,
    /// It fails with EINTR. It has no time limit, so it can be made again as if it had not failed.
    Repeated,
    /// It fails with EINTR. Made again, it would take its whole time once more.
    Timed,
    /// It may return less than it would have: a part of the bytes, or no event.
    Seen,
}

/// How the kernel ends this wait if the thread is stopped: signal(7), and its source.
pub fn of(process: &Process, call: &Call) -> Wait {
    let a = call.arguments;
    let unless_timed = |is_timed: bool| if is_timed { Wait::Timed } else { Wait::Repeated };
    match call.number {
        libc::SYS_poll
        | libc::SYS_ppoll
        | libc::SYS_select
        | libc::SYS_pselect6
        | libc::SYS_pause
        | libc::SYS_nanosleep
        | libc::SYS_clock_nanosleep
        | libc::SYS_restart_syscall
        | libc::SYS_wait4
        | libc::SYS_waitid
        | libc::SYS_rt_sigsuspend
        | libc::SYS_msgrcv
        | libc::SYS_msgsnd
        | libc::SYS_mq_timedreceive
        | libc::SYS_mq_timedsend
        | libc::SYS_flock => Wait::Continued,
        libc::SYS_fcntl => match a[1] as c_int {
            libc::F_SETLKW | libc::F_OFD_SETLKW => Wait::Continued,
            _ => Wait::Seen,
        },
        libc::SYS_futex => match a[1] as c_int & libc::FUTEX_CMD_MASK {
            libc::FUTEX_WAIT
            | libc::FUTEX_WAIT_BITSET
            | libc::FUTEX_LOCK_PI
            | libc::FUTEX_LOCK_PI2 => Wait::Continued,
            _ => Wait::Seen,
        },
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => unless_timed(a[3] as i32 >= 0),
        libc::SYS_epoll_pwait2 => unless_timed(a[3] != 0),
        libc::SYS_rt_sigtimedwait => unless_timed(a[2] != 0),
        libc::SYS_semop => Wait::Repeated,
        libc::SYS_semtimedop => unless_timed(a[3] != 0),
        // Some events may have come of those that it waits for.
        libc::SYS_io_getevents if a[1] as i64 > 1 => Wait::Seen,
        libc::SYS_io_getevents => unless_timed(a[4] != 0),
        IO_PGETEVENTS if a[1] as i64 > 1 || a[4] != 0 => Wait::Seen,
        IO_PGETEVENTS => Wait::Continued,
        libc::SYS_io_uring_enter => of_ring(a),
        libc::SYS_read | libc::SYS_readv => of_file(process, a[0] as RawFd),
        libc::SYS_accept | libc::SYS_accept4 => of_socket(process, a[0] as RawFd, false),
        libc::SYS_connect => of_socket(process, a[0] as RawFd, true),
        libc::SYS_recvfrom if a[3] as c_int & libc::MSG_WAITALL == 0 => {
            of_socket(process, a[0] as RawFd, false)
        }
        libc::SYS_recvmsg if a[2] as c_int & libc::MSG_WAITALL == 0 => {
            of_socket(process, a[0] as RawFd, false)
        }
        libc::SYS_recvmmsg if a[2] <= 1 && a[3] as c_int & libc::MSG_WAITALL == 0 && a[4] == 0 => {
            of_socket(process, a[0] as RawFd, false)
        }
        _ => Wait::Seen,
    }
}

/// `io_uring_enter`: it says how many requests it took, and one that waits for several events
/// returns early with the first of them.
fn of_ring([_, submitted, least, flags, ..]: [u64; 6]) -> Wait {
    const EXTENDED_ARGUMENT: u64 = 1 << 3; // IORING_ENTER_EXT_ARG: a time limit
    match (submitted as u32, least as u32) {
        (0, ..=1) if flags & EXTENDED_ARGUMENT == 0 => Wait::Repeated,
        (0, ..=1) => Wait::Timed,
        _ => Wait::Seen,
    }
}

/// A read that has got nothing yet.
fn of_file(process: &Process, number: RawFd) -> Wait {
    let path = process.file(&format!("fd/{number}"));
    let target = fs::read_link(&path).unwrap_or_default();
    let target = target.to_string_lossy();
    if target.starts_with("socket:") {
        return of_socket(process, number, false);
    }
    if target.starts_with("pipe:") {
        return Wait::Continued;
    }
    match &*target {
        "anon_inode:[eventfd]" | "anon_inode:[timerfd]" | "anon_inode:[signalfd]" => {
            return Wait::Continued;
        }
        "anon_inode:inotify" | "anon_inode:[fanotify]" => return Wait::Repeated,
        _ => {}
    }
    match fs::metadata(&path).map(|found| found.file_type()) {
        Ok(kind) if kind.is_fifo() => Wait::Continued,
        Ok(kind) if kind.is_char_device() => of_device(process, number),
        _ => Wait::Seen,
    }
}

/// A terminal may collect some bytes, or wait for a time.
fn of_device(process: &Process, number: RawFd) -> Wait {
    let Some(copy) = copy_of(process.id, number) else { return Wait::Seen };
    // SAFETY: zeros are a value of this struct of numbers; it outlives the call.
    let mut terminal: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, and the struct outlives the call.
    if unsafe { libc::tcgetattr(copy.as_raw_fd(), &raw mut terminal) } != 0 {
        return Wait::Continued; // it is no terminal
    }
    let is_plain = terminal.c_cc[libc::VMIN] <= 1 && terminal.c_cc[libc::VTIME] == 0;
    match terminal.c_lflag & libc::ICANON != 0 || is_plain {
        true => Wait::Continued,
        false => Wait::Seen,
    }
}

/// `is_sending`: it waits as long as sending may take.
fn of_socket(process: &Process, number: RawFd, is_sending: bool) -> Wait {
    let Some(copy) = copy_of(process.id, number) else { return Wait::Seen };
    let limit = if is_sending { libc::SO_SNDTIMEO } else { libc::SO_RCVTIMEO };
    let time = option::<libc::timeval>(&copy, limit);
    let least = option::<c_int>(&copy, libc::SO_RCVLOWAT);
    match (time, least) {
        (Some(time), least) if is_sending || least.is_none_or(|least| least <= 1) => {
            match time.tv_sec == 0 && time.tv_usec == 0 {
                true => Wait::Continued,
                false => Wait::Timed,
            }
        }
        _ => Wait::Seen,
    }
}

fn option<T: Copy>(socket: &OwnedFd, name: c_int) -> Option<T> {
    // SAFETY: callers ask for structs of numbers, of which zeros are a value.
    let mut value: T = unsafe { std::mem::zeroed() };
    let mut length = size_of::<T>() as libc::socklen_t;
    let to = (&raw mut value).cast();
    // SAFETY: both pointers are of this frame, and `length` is that of the value.
    let done = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, name, to, &raw mut length)
    };
    (done == 0).then_some(value)
}

/// A descriptor of this process for a file that another one has open.
fn copy_of(process: pid_t, number: RawFd) -> Option<OwnedFd> {
    let owned = |result: c_long| {
        // SAFETY: the kernel has just made this descriptor.
        (result >= 0).then(|| unsafe { File::from_raw_fd(result as RawFd) }.into())
    };
    // SAFETY: these calls take numbers.
    let handle: OwnedFd = owned(unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) })?;
    let from = handle.as_raw_fd();
    // SAFETY: as above.
    owned(unsafe { libc::syscall(libc::SYS_pidfd_getfd, from, number, 0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_say_how_many_requests_they_took() {
        assert_eq!(of_ring([3, 0, 1, 1, 0, 0]), Wait::Repeated);
        assert_eq!(of_ring([3, 0, 1, 1 | 8, 9, 24]), Wait::Timed);
        assert_eq!(of_ring([3, 1, 1, 1, 0, 0]), Wait::Seen);
        assert_eq!(of_ring([3, 0, 2, 1, 0, 0]), Wait::Seen);
    }
}
