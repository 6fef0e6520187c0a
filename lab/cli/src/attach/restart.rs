//! System calls that a stopped thread makes again.

use libc::{EINTR, c_long, pid_t, user_regs_struct};

use super::process::has_signal;

/// The bytes of the instruction `syscall`.
const INSTRUCTION: u64 = 2;

/// The registers with which a thread that is stopped in a system call makes it again.
pub fn made_again(registers: &user_regs_struct) -> user_regs_struct {
    let mut again = *registers;
    again.rax = registers.orig_rax;
    again.orig_rax = u64::MAX; // for the kernel, this is no system call that it may restart
    again.rip -= INSTRUCTION;
    again
}

/// The registers with which an interrupted system call is made again, instead of failing with
/// EINTR. None: the kernel restarts it, a signal has interrupted it, or the thread was in no call.
pub fn to_restart(thread: pid_t, registers: &user_regs_struct) -> Option<user_regs_struct> {
    let number = registers.orig_rax as c_long;
    // A call that failed so did nothing; only a close may have closed.
    let is_interrupted = registers.rax as i64 == -i64::from(EINTR);
    if !is_interrupted || number < 0 || number == libc::SYS_close || has_signal(thread) {
        return None;
    }
    Some(made_again(registers))
}
