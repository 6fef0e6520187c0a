//! Calls functions in a stopped thread of another process, and puts everything back.

use std::io;
use std::time::Duration;

use anyhow::{Context, Result};
use heapsmith_measure::error::environment;
use libc::user_regs_struct;

use super::functions::Functions;
use super::process::Process;
use super::restart::to_restart;
use super::thread::{Stop, Thread};

/// How long a function may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Of a stack of its own: the thread may have a small one.
const STACK_BYTES: u64 = 512 * 1024;
/// Functions of the program may use so many bytes below its stack pointer.
const RED_ZONE: u64 = 128;
const FLAGS_OF_DIRECTION_AND_STEPS: u64 = 0x500;

/// A thread that calls functions for this process. When this is dropped, the thread is as before.
pub struct Caller<'a> {
    thread: Thread,
    process: &'a Process,
    functions: &'a Functions,
    saved: user_regs_struct,
    vectors: Vec<u8>,
    mask: u64,
    /// Where the next call's stack begins.
    top: u64,
    /// The same, on the thread's own stack.
    own_top: u64,
    /// Whether the thread could be cancelled, as pthread_setcancelstate says it.
    cancel_state: Option<u64>,
    stack: Option<u64>,
    errno: Option<(u64, [u8; 4])>,
}

/// Signals that wait until the thread is as before. Those that a fault makes do not wait: the kernel
/// would reset the program's handler.
fn blocked() -> u64 {
    let faults =
        [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS];
    faults.iter().fold(u64::MAX, |mask, signal| mask & !(1 << (signal - 1)))
}

impl<'a> Caller<'a> {
    /// Takes a thread that is stopped at a safe point.
    pub fn new(thread: Thread, process: &'a Process, functions: &'a Functions) -> Result<Self> {
        let registers = thread.registers()?;
        let saved = to_restart(thread.id, &registers).unwrap_or(registers);
        let (vectors, mask) = (thread.vectors()?, thread.signal_mask()?);
        thread.set_signal_mask(blocked())?;
        // A word for a result lies above the calls' own part of the stack.
        let word = ((registers.rsp - RED_ZONE) & !15) - 16;
        let mut caller = Self {
            thread,
            process,
            functions,
            saved,
            vectors,
            mask,
            top: word,
            own_top: word,
            cancel_state: None,
            stack: None,
            errno: None,
        };
        caller.turn_cancellation_off(word)?;
        let at = caller.call(functions.errno_location, &[])?;
        let mut errno = [0; 4];
        process.read(at, &mut errno)?;
        caller.errno = Some((at, errno));
        let access = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK) as u64;
        let stack = caller.call(functions.mmap, &[0, STACK_BYTES, access, flags, u64::MAX, 0])?;
        if stack == u64::MAX {
            let id = process.id;
            return Err(environment(format!("process {id} has no memory for a stack")));
        }
        caller.stack = Some(stack);
        caller.top = stack + STACK_BYTES;
        Ok(caller)
    }

    /// A thread may be cancelled in functions such as dlopen, but not in malloc: one that is
    /// cancelled within one would never give back the locks of the program.
    fn turn_cancellation_off(&mut self, word: u64) -> Result<()> {
        const DISABLE: u64 = 1; // PTHREAD_CANCEL_DISABLE
        let Some(set) = self.functions.set_cancel_state else { return Ok(()) };
        if self.call(set, &[DISABLE, word])? == 0 {
            self.cancel_state = Some(self.process.read_u64(word)? & u64::from(u32::MAX));
        }
        Ok(())
    }

    /// Calls a function with up to six arguments. Returns: what it returned.
    pub fn call(&mut self, function: u64, arguments: &[u64]) -> Result<u64> {
        let id = self.process.id;
        let mut registers = self.saved;
        let a = |n: usize| arguments.get(n).copied().unwrap_or(0);
        (registers.rdi, registers.rsi, registers.rdx) = (a(0), a(1), a(2));
        (registers.rcx, registers.r8, registers.r9) = (a(3), a(4), a(5));
        registers.rip = function;
        registers.rax = 0;
        registers.orig_rax = u64::MAX; // no system call is to be restarted
        registers.eflags &= !FLAGS_OF_DIRECTION_AND_STEPS;
        // It returns to 0, which is a fault that this process gets. The stack is aligned as after
        // the instruction `call`.
        registers.rsp = (self.top & !15) - 8;
        self.process.write(registers.rsp, &0u64.to_le_bytes())?;
        self.thread.set_registers(&registers)?;
        self.thread.resume(0)?;
        loop {
            match self.thread.wait(LIMIT)? {
                Some(Stop::Signal(libc::SIGSEGV)) => break,
                // The whole process is being stopped.
                Some(Stop::Event | Stop::Call) => self.thread.resume(0)?,
                Some(Stop::Signal(signal)) => {
                    let line = format!("process {id}: a call in it got signal {signal}");
                    return Err(environment(line));
                }
                Some(Stop::Ended) => {
                    return Err(environment(format!("process {id} has ended")));
                }
                None => {
                    self.thread.interrupt()?;
                    let seconds = LIMIT.as_secs();
                    let line = format!("process {id}: a call in it did not return in {seconds} s");
                    return Err(environment(line));
                }
            }
        }
        let after = self.thread.registers()?;
        if after.rip != 0 {
            let at = after.rip;
            return Err(environment(format!("process {id}: a call in it failed at 0x{at:x}")));
        }
        Ok(after.rax)
    }

    /// Calls a function with a text, and a number behind it.
    pub fn call_with_text(&mut self, function: u64, text: &[u8], number: u64) -> Result<u64> {
        // At the low end of the stack, which is far from its use.
        let at = self.stack.context("no stack")?;
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.process.write(at, &bytes)?;
        self.call(function, &[at, number])
    }

    pub fn read_text(&self, at: u64) -> String {
        let mut bytes = [0; 512];
        // The text may lie at the end of a page.
        let whole = (1..=bytes.len()).rev().step_by(64);
        for length in whole {
            if at != 0 && self.process.read(at, &mut bytes[..length]).is_ok() {
                break;
            }
        }
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    fn put_back(&mut self) -> io::Result<()> {
        self.top = self.own_top;
        if let Some(stack) = self.stack.take() {
            self.call(self.functions.munmap, &[stack, STACK_BYTES]).ok();
        }
        // Last: it may be cancelled from here on.
        if let (Some(state), Some(set)) = (self.cancel_state, self.functions.set_cancel_state) {
            self.call(set, &[state, 0]).ok();
        }
        if let Some((at, errno)) = self.errno {
            self.process.write(at, &errno)?;
        }
        self.thread.set_vectors(&self.vectors)?;
        self.thread.set_signal_mask(self.mask)?;
        self.thread.set_registers(&self.saved)
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.put_back().ok(); // it fails if the thread has ended
    }
}
