//! One thread of another process, traced: what ptrace(2) does, with errors as values.

use std::io;
use std::mem::{offset_of, size_of};
use std::ptr;
use std::time::{Duration, Instant};

use libc::{c_int, c_void, pid_t, user, user_regs_struct};

use super::process::{has_waiting, ignores};
use super::restart::{made_again, to_restart};
use super::system_calls::Call;

/// How long a thread may take to stop: it may be in a system call that cannot be interrupted.
const STOP_LIMIT: Duration = Duration::from_millis(500);
const NT_X86_XSTATE: usize = 0x202;
/// What xsave may need, with room to spare.
const MOST_XSTATE: usize = 64 * 1024;
const EVENT_STOP: c_int = 128;
/// Of the signal of a stop at a system call.
const IS_CALL: c_int = 0x80;
const WORD: usize = size_of::<u64>();
/// The bytes of `ptrace_syscall_info`, which begins with what the stop is.
const CALL_INFO: usize = 88;
const IS_ENTRY: u8 = 1;

/// Why a thread that was waited for has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `PTRACE_INTERRUPT`, or a stop of the whole process.
    Event,
    /// A signal is about to be delivered.
    Signal(c_int),
    /// A system call is about to begin, or has ended.
    Call,
    /// The thread has ended.
    Ended,
}

/// A thread that this process traces. It is released when this is dropped.
pub struct Thread {
    pub id: pid_t,
    is_stopped: bool,
    has_ended: bool,
    has_breakpoints: bool,
    /// It stops where system calls begin and end.
    stops_at_calls: bool,
}

fn request(what: libc::c_uint, id: pid_t, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: each caller passes an address of this process, or a number, as the request asks.
    let done = unsafe { libc::ptrace(what, id, address as *mut c_void, data as *mut c_void) };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Thread {
    /// Begins to trace. The thread runs on.
    pub fn seize(id: pid_t) -> io::Result<Self> {
        request(libc::PTRACE_SEIZE, id, 0, libc::PTRACE_O_TRACESYSGOOD as usize)?;
        Ok(Self {
            id,
            is_stopped: false,
            has_ended: false,
            has_breakpoints: false,
            stops_at_calls: false,
        })
    }

    /// Returns: a stop that has come, or None.
    pub fn poll(&mut self) -> io::Result<Option<Stop>> {
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        match unsafe { libc::waitpid(self.id, &raw mut status, libc::__WALL | libc::WNOHANG) } {
            0 => Ok(None),
            -1 => Err(io::Error::last_os_error()),
            _ if !libc::WIFSTOPPED(status) => {
                self.has_ended = true;
                Ok(Some(Stop::Ended))
            }
            _ => {
                self.is_stopped = true;
                let signal = libc::WSTOPSIG(status);
                Ok(Some(match status >> 16 {
                    EVENT_STOP => Stop::Event,
                    _ if signal == libc::SIGTRAP | IS_CALL => Stop::Call,
                    _ => Stop::Signal(signal),
                }))
            }
        }
    }

    /// Returns: the next stop; None after `limit`.
    pub fn wait(&mut self, limit: Duration) -> io::Result<Option<Stop>> {
        let end = Instant::now() + limit;
        let mut pause = Duration::from_micros(20);
        loop {
            if let Some(stop) = self.poll()? {
                return Ok(Some(stop));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(2));
        }
    }

    /// Stops the thread where it is. Signals that come first are delivered. Returns: whether it has
    /// stopped.
    pub fn interrupt(&mut self) -> io::Result<bool> {
        if self.is_stopped {
            return Ok(true);
        }
        let end = Instant::now() + STOP_LIMIT;
        loop {
            // Any other stop makes the kernel forget this request.
            request(libc::PTRACE_INTERRUPT, self.id, 0, 0)?;
            match self.wait(end.saturating_duration_since(Instant::now()))? {
                Some(Stop::Event) => return Ok(true),
                Some(Stop::Signal(signal)) => self.resume_from(signal)?,
                // The kernel would begin a call with an interruption waiting, and end it early.
                Some(Stop::Call) => {
                    if self.beginning_call()?.is_some() {
                        self.put_off_call()?;
                    }
                    return Ok(true);
                }
                Some(Stop::Ended) | None => return Ok(false),
            }
        }
    }

    /// Sees to it that the thread, which is about to go on, repeats a system call.
    pub fn let_restart(&self) -> io::Result<()> {
        if let Some(again) = to_restart(self.id, &self.registers()?) {
            // The kernel takes the mask of a call such as epoll_pwait back.
            self.set_signal_mask(self.signal_mask()?)?;
            self.set_registers(&again)?;
        }
        Ok(())
    }

    /// Lets the thread go on from a stop for `signal`, which it gets unless a breakpoint made it. A
    /// signal that it ignores woke it only because it is traced.
    pub fn resume_from(&mut self, signal: c_int) -> io::Result<()> {
        let is_own = signal == libc::SIGTRAP && self.has_breakpoints && self.is_at_breakpoint()?;
        if !is_own && ignores(self.id, signal) {
            self.let_restart()?;
        }
        self.resume(if is_own { 0 } else { signal })
    }

    pub fn resume(&mut self, signal: c_int) -> io::Result<()> {
        self.is_stopped = false;
        let how = if self.stops_at_calls { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        request(how, self.id, 0, signal as usize)
    }

    pub fn stop_at_calls(&mut self) {
        self.stops_at_calls = true;
    }

    /// At a stop for a system call: the one that is about to begin. None: one has ended, or the
    /// kernel is older than 5.3 and does not say.
    pub fn beginning_call(&self) -> io::Result<Option<Call>> {
        let mut info = [0u8; CALL_INFO];
        let to = info.as_mut_ptr() as usize;
        if request(libc::PTRACE_GET_SYSCALL_INFO, self.id, CALL_INFO, to).is_err() {
            return Ok(None);
        }
        Ok(if info[0] == IS_ENTRY { Some(Call::of(&self.registers()?)) } else { None })
    }

    /// At a stop where a system call is about to begin: has it fail instead, without any effect.
    /// From then on the thread is about to make it, so that nothing of it has begun.
    pub fn put_off_call(&mut self) -> io::Result<()> {
        let before = self.registers()?;
        // A filter of system calls may allow this number and no other.
        let none = u64::MAX;
        let invalid = user_regs_struct {
            rdi: none,
            rsi: none,
            rdx: none,
            r10: none,
            r8: none,
            r9: none,
            ..before
        };
        self.set_registers(&invalid)?;
        self.stops_at_calls = true;
        self.resume(0)?;
        let end = Instant::now() + STOP_LIMIT;
        while let Some(stop) = self.wait(end.saturating_duration_since(Instant::now()))? {
            match stop {
                Stop::Call => {
                    self.stops_at_calls = false;
                    return self.set_registers(&made_again(&before));
                }
                Stop::Event => self.resume(0)?,
                Stop::Signal(_) | Stop::Ended => break,
            }
        }
        Err(io::Error::from(io::ErrorKind::TimedOut))
    }

    pub fn registers(&self) -> io::Result<user_regs_struct> {
        // SAFETY: zeros are a value of this struct of numbers.
        let mut registers: user_regs_struct = unsafe { std::mem::zeroed() };
        request(libc::PTRACE_GETREGS, self.id, 0, (&raw mut registers) as usize)?;
        Ok(registers)
    }

    pub fn set_registers(&self, registers: &user_regs_struct) -> io::Result<()> {
        request(libc::PTRACE_SETREGS, self.id, 0, ptr::from_ref(registers) as usize)
    }

    /// Returns: the registers of floating point and vectors, as xsave writes them.
    pub fn vectors(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0u8; MOST_XSTATE];
        let mut to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        request(libc::PTRACE_GETREGSET, self.id, NT_X86_XSTATE, (&raw mut to) as usize)?;
        bytes.truncate(to.iov_len);
        Ok(bytes)
    }

    pub fn set_vectors(&self, bytes: &[u8]) -> io::Result<()> {
        let from = libc::iovec { iov_base: bytes.as_ptr() as *mut c_void, iov_len: bytes.len() };
        request(libc::PTRACE_SETREGSET, self.id, NT_X86_XSTATE, (&raw const from) as usize)
    }

    /// Returns: the blocked signals, one bit each.
    pub fn signal_mask(&self) -> io::Result<u64> {
        let mut mask = 0u64;
        request(libc::PTRACE_GETSIGMASK, self.id, WORD, (&raw mut mask) as usize)?;
        Ok(mask)
    }

    pub fn set_signal_mask(&self, mask: u64) -> io::Result<()> {
        request(libc::PTRACE_SETSIGMASK, self.id, WORD, (&raw const mask) as usize)
    }

    /// Has the thread, and no other, stop when it comes to one of at most four addresses.
    pub fn set_breakpoints(&mut self, addresses: &[u64]) -> io::Result<()> {
        self.has_breakpoints = true;
        let register = |n: usize| offset_of!(user, u_debugreg) + n * WORD;
        request(libc::PTRACE_POKEUSER, self.id, register(7), 0)?;
        for (n, &address) in addresses.iter().take(4).enumerate() {
            request(libc::PTRACE_POKEUSER, self.id, register(n), address as usize)?;
        }
        let enabled = (0..addresses.len().min(4)).fold(0, |bits, n| bits | 1 << (2 * n));
        request(libc::PTRACE_POKEUSER, self.id, register(7), enabled)
    }

    /// Has the thread stop neither at breakpoints nor at system calls any more.
    pub fn stop_nowhere(&mut self) -> io::Result<()> {
        self.stops_at_calls = false;
        if self.has_breakpoints {
            self.set_breakpoints(&[])?;
            self.has_breakpoints = false;
        }
        Ok(())
    }

    fn is_at_breakpoint(&self) -> io::Result<bool> {
        const TRAP_HWBKPT: c_int = 4;
        // SAFETY: zeros are a value of this struct of numbers.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        request(libc::PTRACE_GETSIGINFO, self.id, 0, (&raw mut info) as usize)?;
        Ok(info.si_code == TRAP_HWBKPT)
    }

    fn release(&mut self) -> io::Result<()> {
        // A thread that does not stop is released when this process ends. One that has breakpoints
        // would die of them then.
        let tries = if self.has_breakpoints { 20 } else { 1 };
        let mut n = 0;
        while !self.has_ended && !self.interrupt()? {
            n += 1;
            if n == tries {
                return Ok(());
            }
        }
        if self.has_ended {
            return Ok(());
        }
        self.let_restart()?;
        self.take_breakpoints_signal()?;
        self.stop_nowhere()?;
        request(libc::PTRACE_DETACH, self.id, 0, 0)
    }

    /// A thread that has come to a breakpoint stops for another reason first, and the signal waits.
    fn take_breakpoints_signal(&mut self) -> io::Result<()> {
        if !self.has_breakpoints || !has_waiting(self.id, libc::SIGTRAP) {
            return Ok(());
        }
        self.resume(0)?;
        while let Some(stop) = self.wait(STOP_LIMIT)? {
            match stop {
                Stop::Signal(libc::SIGTRAP) => return Ok(()),
                Stop::Signal(signal) => self.resume_from(signal)?,
                Stop::Event | Stop::Call => self.resume(0)?,
                Stop::Ended => break,
            }
        }
        Err(io::Error::from(io::ErrorKind::TimedOut))
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.release().ok(); // it fails if the thread has ended
    }
}
