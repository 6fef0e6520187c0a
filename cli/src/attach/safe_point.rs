//! Finds a thread that holds no lock of the dynamic linker or the allocator, so that it can call
//! dlopen: one that waits in a system call, or one that has just called malloc.

use std::io;
use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::error::environment;
use libc::{EINTR, c_long, pid_t, user_regs_struct};

use super::functions::Functions;
use super::process::{Process, has_signal};
use super::thread::{Stop, Thread};

/// How long the process may take to come to such a point.
const LIMIT: Duration = Duration::from_secs(5);
/// How long threads run to a breakpoint before their system calls are looked at again.
const TURN: Duration = Duration::from_millis(50);
/// Of a process with more threads, some are looked at.
const MOST_THREADS: usize = 256;

/// System calls that wait for something outside, or for a time. A thread in them holds no lock
/// of libc's memory or loading. The numbers of x86-64.
const WAITS: [c_long; 32] = [
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
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
    libc::SYS_sendto,
    libc::SYS_sendmsg,
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
    libc::SYS_flock,
    libc::SYS_io_getevents,
];

/// Of these, the kernel restarts some by itself after an interruption. These fail with EINTR.
const NEED_RESTART: [c_long; 7] = [
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_io_getevents,
];

/// The bytes of the instruction `syscall`.
const INSTRUCTION: u64 = 2;

/// The registers with which an interrupted system call is made again, instead of failing with
/// EINTR. None: the kernel restarts it, a signal has interrupted it, or the thread was in no call.
pub fn to_restart(thread: pid_t, registers: &user_regs_struct) -> Option<user_regs_struct> {
    let is_interrupted = registers.rax as i64 == -i64::from(EINTR);
    let needs = NEED_RESTART.contains(&(registers.orig_rax as c_long));
    if !is_interrupted || !needs || has_signal(thread) {
        return None;
    }
    let mut again = *registers;
    again.rax = registers.orig_rax;
    again.orig_rax = u64::MAX; // for the kernel, this is no system call that it may restart
    again.rip -= INSTRUCTION;
    Some(again)
}

/// Sees to it that a stopped thread, which is about to go on, repeats a system call.
pub fn let_restart(thread: &Thread) -> io::Result<()> {
    if let Some(again) = to_restart(thread.id, &thread.registers()?) {
        // The kernel takes the mask of a call such as epoll_pwait back.
        thread.set_signal_mask(thread.signal_mask()?)?;
        thread.set_registers(&again)?;
    }
    Ok(())
}

struct Search<'a> {
    process: &'a Process,
    functions: &'a Functions,
    threads: Vec<Thread>,
    end: Instant,
}

/// Returns: a thread that is stopped at such a point. All others run.
pub fn find(process: &Process, functions: &Functions) -> Result<Thread> {
    let end = Instant::now() + LIMIT;
    let mut search = Search { process, functions, threads: Vec::new(), end };
    while Instant::now() < search.end {
        if let Some(thread) = search.look_at_system_calls()? {
            return Ok(thread);
        }
        if let Some(thread) = search.run_to_allocator()? {
            return Ok(thread);
        }
        if !process.is_there() {
            break;
        }
    }
    drop(search);
    let id = process.id;
    if process.has_ended() {
        return Err(environment(format!("process {id} has ended")));
    }
    Err(environment(format!(
        "process {id}: within {} s no thread waited in a system call or called malloc; try again",
        LIMIT.as_secs()
    )))
}

impl Search<'_> {
    /// The thread, traced. None: it has ended.
    fn seize(&mut self, id: pid_t) -> Result<Option<usize>> {
        if let Some(n) = self.threads.iter().position(|thread| thread.id == id) {
            return Ok(Some(n));
        }
        match Thread::seize(id) {
            Ok(thread) => {
                self.threads.push(thread);
                Ok(Some(self.threads.len() - 1))
            }
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
            Err(_) => Err(self.process.refusal()),
        }
    }

    fn look_at_system_calls(&mut self) -> Result<Option<Thread>> {
        for id in self.process.threads() {
            let number = self.process.system_call_of(id);
            if !number.is_some_and(|number| WAITS.contains(&number) || number == libc::SYS_futex) {
                continue;
            }
            let Some(n) = self.seize(id)? else { continue };
            let thread = &mut self.threads[n];
            if !thread.interrupt().unwrap_or(false) {
                self.threads.swap_remove(n);
                continue;
            }
            let registers = thread.registers()?;
            if self.waits_safely(&registers) {
                let mut found = self.threads.swap_remove(n);
                found.clear_breakpoints()?;
                self.threads.clear();
                return Ok(Some(found));
            }
            let_restart(&self.threads[n])?;
            self.threads[n].resume(0)?;
        }
        Ok(None)
    }

    fn waits_safely(&self, registers: &user_regs_struct) -> bool {
        const INTERRUPTED: std::ops::RangeInclusive<i64> = -516..=-512; // the kernel's ERESTART…
        let result = registers.rax as i64;
        if !INTERRUPTED.contains(&result) && result != -i64::from(EINTR) {
            return false; // it was not waiting any more
        }
        if !self.functions.may_wait_at(registers.rip) {
            return false;
        }
        match registers.orig_rax as c_long {
            // glibc waits so for conditions, semaphores and threads. For a mutex it uses
            // FUTEX_WAIT, and an allocator's mutex may be one that this thread waits for.
            libc::SYS_futex => {
                let operation = registers.rsi as i32 & libc::FUTEX_CMD_MASK;
                operation == libc::FUTEX_WAIT_BITSET && self.functions.is_in_libc(registers.rip)
            }
            number => WAITS.contains(&number),
        }
    }

    /// Lets all threads run until one enters the allocator.
    fn run_to_allocator(&mut self) -> Result<Option<Thread>> {
        for id in self.process.threads().into_iter().take(MOST_THREADS) {
            let Some(n) = self.seize(id)? else { continue };
            let thread = &mut self.threads[n];
            let is_set = thread.interrupt().and_then(|is_stopped| {
                if is_stopped {
                    let_restart(thread)?;
                    thread.set_breakpoints(&self.functions.allocator)?;
                    thread.resume(0)?;
                }
                Ok(is_stopped)
            });
            if !is_set.unwrap_or(false) {
                self.threads.swap_remove(n);
            }
        }
        let end = Instant::now() + TURN;
        while Instant::now() < end {
            if let Some(thread) = self.poll()? {
                return Ok(Some(thread));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(None)
    }

    fn poll(&mut self) -> Result<Option<Thread>> {
        let mut n = 0;
        while n < self.threads.len() {
            match self.threads[n].poll() {
                Ok(None) => n += 1,
                Ok(Some(Stop::Signal(libc::SIGTRAP))) if self.has_called(n)? => {
                    let mut found = self.threads.swap_remove(n);
                    found.clear_breakpoints()?;
                    self.threads.clear();
                    return Ok(Some(found));
                }
                Ok(Some(Stop::Signal(signal))) => {
                    self.threads[n].resume_from(signal)?;
                    n += 1;
                }
                Ok(Some(Stop::Event)) => {
                    self.threads[n].resume(0)?;
                    n += 1;
                }
                Ok(Some(Stop::Ended)) | Err(_) => {
                    self.threads.swap_remove(n);
                }
            }
        }
        Ok(None)
    }

    /// Whether a stopped thread is at the begin of a function of the allocator, which the program
    /// has called and not libc.
    fn has_called(&self, n: usize) -> Result<bool> {
        let registers = self.threads[n].registers()?;
        if !self.functions.allocator.contains(&registers.rip) {
            return Ok(false);
        }
        let caller = self.process.read_u64(registers.rsp).unwrap_or(0);
        Ok(self.functions.may_call_from(caller))
    }
}
