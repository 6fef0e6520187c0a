//! System calls that threads wait in, and what an interruption would change about each.

use std::fs::{self, File};
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileTypeExt;

use libc::{c_int, c_long, pid_t, user_regs_struct};

use super::process::Process;

/// A system call that a thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub number: c_long,
    pub arguments: [u64; 6],
    /// The address behind the instruction that made it.
    pub at: u64,
}

impl Call {
    /// Of a thread that is stopped in a system call.
    pub fn of(registers: &user_regs_struct) -> Self {
        let r = registers;
        let arguments = [r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9];
        Self { number: r.orig_rax as c_long, arguments, at: r.rip }
    }
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It runs, in the program or in the kernel.
    Running,
    Waiting(Call),
    /// It waits in the kernel, but in no system call.
    Other,
    Ended,
}

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

/// Its number is not in `libc`.
const IO_PGETEVENTS: c_long = 333;

/// The numbers of x86-64, with names for messages.
const NAMES: [(c_long, &str); 48] = [
    (libc::SYS_read, "read"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
    (libc::SYS_poll, "poll"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_select, "select"),
    (libc::SYS_pselect6, "pselect"),
    (libc::SYS_epoll_wait, "epoll_wait"),
    (libc::SYS_epoll_pwait, "epoll_pwait"),
    (libc::SYS_epoll_pwait2, "epoll_pwait2"),
    (libc::SYS_pause, "pause"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_restart_syscall, "restart_syscall"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_accept, "accept"),
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_sendto, "send"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_sendmmsg, "sendmmsg"),
    (libc::SYS_sendfile, "sendfile"),
    (libc::SYS_splice, "splice"),
    (libc::SYS_recvfrom, "recv"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_recvmmsg, "recvmmsg"),
    (libc::SYS_wait4, "wait4"),
    (libc::SYS_waitid, "waitid"),
    (libc::SYS_rt_sigsuspend, "sigsuspend"),
    (libc::SYS_rt_sigtimedwait, "sigtimedwait"),
    (libc::SYS_semop, "semop"),
    (libc::SYS_semtimedop, "semtimedop"),
    (libc::SYS_msgrcv, "msgrcv"),
    (libc::SYS_msgsnd, "msgsnd"),
    (libc::SYS_mq_timedreceive, "mq_receive"),
    (libc::SYS_mq_timedsend, "mq_send"),
    (libc::SYS_flock, "flock"),
    (libc::SYS_fcntl, "fcntl"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_io_getevents, "io_getevents"),
    (IO_PGETEVENTS, "io_pgetevents"),
    (libc::SYS_io_uring_enter, "io_uring_enter"),
    (libc::SYS_ioctl, "ioctl"),
    (libc::SYS_fsync, "fsync"),
    (libc::SYS_fdatasync, "fdatasync"),
    (libc::SYS_vfork, "vfork"),
    (libc::SYS_clone, "clone"),
    (libc::SYS_clone3, "clone3"),
];

/// Calls that wait for something outside, or for a time. A thread in them holds no lock of libc's
/// memory or loading.
const OUTSIDE: [c_long; 34] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_pause,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_timedsend,
    libc::SYS_flock,
    libc::SYS_io_getevents,
    IO_PGETEVENTS,
    libc::SYS_io_uring_enter,
    libc::SYS_fcntl,
];

/// Calls that do not wait for anything outside, and that programs make often.
const SHORT: [c_long; 24] = [
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_lseek,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_sched_yield,
    libc::SYS_clock_gettime,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigreturn,
    libc::SYS_getrusage,
    libc::SYS_epoll_ctl,
    libc::SYS_setsockopt,
    libc::SYS_socket,
    libc::SYS_eventfd2,
];

/// "0 0x3 … 0x7ffe 0x7f27" of /proc/PID/task/TID/syscall, or "running", or "-1 0x7ffe 0x7f27".
pub fn parse(text: &str) -> Doing {
    let mut words = text.split_ascii_whitespace();
    let Some(first) = words.next() else { return Doing::Ended };
    if first == "running" {
        return Doing::Running;
    }
    let hex = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap_or(0);
    let rest: Vec<u64> = words.map(hex).collect();
    match (first.parse(), rest.as_slice()) {
        (Ok(number @ 0..), &[a, b, c, d, e, f, _, at]) => {
            Doing::Waiting(Call { number, arguments: [a, b, c, d, e, f], at })
        }
        _ => Doing::Other,
    }
}

pub fn name_of(number: c_long) -> String {
    match NAMES.iter().find(|each| each.0 == number) {
        Some((_, name)) => (*name).to_string(),
        None => format!("system call {number}"),
    }
}

/// Whether a thread in this call waits for something outside, so that it holds no such lock.
pub fn is_outside(number: c_long) -> bool {
    OUTSIDE.contains(&number)
}

pub fn is_short(number: c_long) -> bool {
    SHORT.contains(&number)
}

/// glibc waits so for conditions, semaphores and threads. For a mutex it uses `FUTEX_WAIT`, and an
/// allocator's mutex may be one that the thread waits for.
pub fn is_for_condition(call: &Call) -> bool {
    call.number == libc::SYS_futex
        && call.arguments[1] as i32 & libc::FUTEX_CMD_MASK == libc::FUTEX_WAIT_BITSET
}

/// Whether the thread waits for a child that shares its memory until that becomes another program.
pub fn is_vfork(call: &Call) -> bool {
    match call.number {
        libc::SYS_vfork | libc::SYS_clone3 => true,
        libc::SYS_clone => call.arguments[0] & libc::CLONE_VFORK as u64 != 0,
        _ => false,
    }
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
    fn what_a_thread_does_is_parsed() {
        let text = "232 0x5 0x7ffc 0x1 0xffffffff 0x0 0x8 0x7ffd20 0x7f10\n";
        let call = Call { number: 232, arguments: [5, 0x7ffc, 1, 0xffff_ffff, 0, 8], at: 0x7f10 };
        assert_eq!(parse(text), Doing::Waiting(call));
        assert_eq!(parse("running\n"), Doing::Running);
        assert_eq!(parse("-1 0x7ffd20 0x7f10\n"), Doing::Other);
        assert_eq!(parse(""), Doing::Ended);
        assert_eq!(name_of(232), "epoll_wait");
        assert_eq!(name_of(100_000), "system call 100000");
    }

    #[test]
    fn rings_say_how_many_requests_they_took() {
        assert_eq!(of_ring([3, 0, 1, 1, 0, 0]), Wait::Repeated);
        assert_eq!(of_ring([3, 0, 1, 1 | 8, 9, 24]), Wait::Timed);
        assert_eq!(of_ring([3, 1, 1, 1, 0, 0]), Wait::Seen);
        assert_eq!(of_ring([3, 0, 2, 1, 0, 0]), Wait::Seen);
    }
}
