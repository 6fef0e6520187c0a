//! System calls that threads are in: their numbers, names and kinds.

use libc::{c_long, user_regs_struct};

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

/// A thread, as the kernel shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It runs, in the program or in the kernel.
    Running,
    Waiting(Call),
    /// It waits in the kernel, but in no system call.
    Other,
    Ended,
}

/// Its number is not in `libc`.
pub const IO_PGETEVENTS: c_long = 333;

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
}
