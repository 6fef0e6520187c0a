//! Finds a thread that holds no lock of the dynamic linker or the allocator, so that it can call
//! dlopen: one that waits in a system call, or begins to, or has just called malloc. No thread is
//! stopped in a wait that would end by it.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::error::environment;
use libc::{EINTR, pid_t, user_regs_struct};

use super::functions::Functions;
use super::process::Process;
use super::system_calls::{self, Call, Doing};
use super::thread::{Stop, Thread};
use super::waits::{self, Wait};

/// How long the process may take to come to such a point.
const LIMIT: Duration = Duration::from_secs(5);
/// How long threads run to such a point before those that wait are looked at again.
const TURN: Duration = Duration::from_millis(50);
/// How often threads that are not traced are looked at meanwhile.
const GLANCE: Duration = Duration::from_micros(500);
/// A wait that was not there at a glance so long ago has just begun.
const FRESH: Duration = Duration::from_millis(20);
/// Of a process with more threads, some are looked at.
const MOST_THREADS: usize = 256;

struct Search<'a> {
    process: &'a Process,
    functions: &'a Functions,
    threads: Vec<Thread>,
    glances: HashMap<pid_t, Glance>,
}

/// A thread that an interruption might disturb, as it was seen.
#[derive(Clone, Copy)]
struct Glance {
    at: Instant,
    /// How often it had begun to run.
    turns: u64,
    /// How long it had run in the program.
    user_ticks: u64,
}

/// Returns: a thread that is stopped at such a point. All others run.
pub fn find(process: &Process, functions: &Functions) -> Result<Thread> {
    let end = Instant::now() + LIMIT;
    let mut search = Search { process, functions, threads: Vec::new(), glances: HashMap::new() };
    while Instant::now() < end && process.is_there() {
        for wait in [Wait::Continued, Wait::Repeated] {
            if let Some(thread) = search.take_waiting(wait)? {
                return Ok(thread);
            }
        }
        if let Some(thread) = search.run_to_point()? {
            return Ok(thread);
        }
        search.threads.clear();
    }
    Err(search.failure())
}

impl Search<'_> {
    /// The thread, traced and stopped. None: it has ended or does not stop.
    fn stop(&self, id: pid_t) -> Result<Option<Thread>> {
        match Thread::seize(id) {
            Ok(mut thread) => Ok(thread.interrupt().unwrap_or(false).then_some(thread)),
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
            Err(_) if self.process.doing(id) == Doing::Ended => Ok(None),
            Err(_) => Err(self.process.refusal()),
        }
    }

    /// A thread in a wait that ends so, and that may call dlopen.
    fn take_waiting(&mut self, wanted: Wait) -> Result<Option<Thread>> {
        for id in self.process.threads() {
            let Doing::Waiting(call) = self.process.doing(id) else { continue };
            if !self.waits_safely(&call) || waits::of(self.process, &call) != wanted {
                continue;
            }
            let Some(thread) = self.stop(id)? else { continue };
            let registers = thread.registers()?;
            if is_interrupted(&registers) && self.waits_safely(&Call::of(&registers)) {
                return Ok(Some(thread));
            }
        }
        Ok(None)
    }

    fn waits_safely(&self, call: &Call) -> bool {
        match call.number {
            libc::SYS_futex => {
                system_calls::is_for_condition(call) && self.functions.is_in_libc(call.at)
            }
            number => system_calls::is_outside(number) && self.functions.may_wait_at(call.at),
        }
    }

    /// Lets all threads run that can be stopped unseen, until one enters the allocator or is about
    /// to wait.
    fn run_to_point(&mut self) -> Result<Option<Thread>> {
        let end = Instant::now() + TURN;
        let mut next_glance = Instant::now();
        while Instant::now() < end {
            if Instant::now() >= next_glance {
                for id in self.process.threads().into_iter().take(MOST_THREADS) {
                    self.watch(id)?;
                }
                next_glance = Instant::now() + GLANCE;
            }
            if let Some(thread) = self.poll()? {
                self.threads.clear();
                return Ok(Some(thread));
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        Ok(None)
    }

    /// Has the thread stop at the allocator and at system calls, unless it would notice.
    fn watch(&mut self, id: pid_t) -> Result<()> {
        if self.threads.iter().any(|thread| thread.id == id) || !self.may_be_stopped(id) {
            return Ok(());
        }
        let Some(mut thread) = self.stop(id)? else { return Ok(()) };
        thread.let_restart()?;
        thread.set_breakpoints(&self.functions.allocator)?;
        thread.stop_at_calls();
        thread.resume(0)?;
        self.threads.push(thread);
        Ok(())
    }

    fn may_be_stopped(&mut self, id: pid_t) -> bool {
        match self.process.doing(id) {
            Doing::Running => self.has_left_its_wait(id),
            Doing::Waiting(call) => match waits::of(self.process, &call) {
                Wait::Continued | Wait::Repeated => true,
                wait => self.has_just_begun(id) && wait == Wait::Timed,
            },
            Doing::Other | Doing::Ended => false,
        }
    }

    /// Whether a thread that waits has run since the last glance, which was a moment ago. So the
    /// wait has almost all of its time left.
    fn has_just_begun(&mut self, id: pid_t) -> bool {
        let Some(now) = self.glance(id) else { return false };
        let last = self.glances.insert(id, now);
        last.is_some_and(|last| last.turns != now.turns && last.at.elapsed() < FRESH)
    }

    /// Whether a thread that runs does so in the program: one that has just woken may still be in
    /// the kernel, where an interruption would end a call early.
    fn has_left_its_wait(&mut self, id: pid_t) -> bool {
        let Some(now) = self.glance(id) else { return false };
        let last = self.glances.entry(id).or_insert(now);
        now.user_ticks > last.user_ticks
    }

    fn glance(&self, id: pid_t) -> Option<Glance> {
        let turns = self.process.turns_of(id).unwrap_or(0); // some kernels do not count them
        let user_ticks = self.process.user_ticks_of(id)?;
        Some(Glance { at: Instant::now(), turns, user_ticks })
    }

    fn poll(&mut self) -> Result<Option<Thread>> {
        let mut n = 0;
        while n < self.threads.len() {
            match self.threads[n].poll() {
                Ok(None) => n += 1,
                Ok(Some(Stop::Signal(libc::SIGTRAP))) if self.has_called(n)? => {
                    let mut found = self.threads.swap_remove(n);
                    found.stop_nowhere()?;
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
                Ok(Some(Stop::Call)) => match self.threads[n].beginning_call()? {
                    Some(call) if self.may_put_off(&call) => {
                        let mut found = self.threads.swap_remove(n);
                        found.stop_nowhere()?;
                        found.put_off_call()?;
                        return Ok(Some(found));
                    }
                    Some(call) if !self.may_go_on_into(&call) => {
                        self.threads.swap_remove(n); // it goes on untraced
                    }
                    _ => {
                        self.threads[n].resume(0)?;
                        n += 1;
                    }
                },
                Ok(Some(Stop::Ended)) | Err(_) => {
                    self.threads.swap_remove(n);
                }
            }
        }
        Ok(None)
    }

    /// Whether a thread that is about to make this call may do so later, and call dlopen before.
    fn may_put_off(&self, call: &Call) -> bool {
        let always = match call.number {
            // They have no arguments, by which they could be made to fail.
            libc::SYS_pause | libc::SYS_restart_syscall | libc::SYS_fcntl => return false,
            // Of a file, it may be under any lock.
            libc::SYS_read | libc::SYS_readv => false,
            _ => true,
        };
        self.waits_safely(call) && (always || waits::of(self.process, call) != Wait::Seen)
    }

    /// Whether a thread can be stopped in this call unseen.
    fn may_go_on_into(&self, call: &Call) -> bool {
        system_calls::is_short(call.number) || waits::of(self.process, call) == Wait::Continued
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

    /// Why no thread was found: what they all do.
    fn failure(self) -> anyhow::Error {
        let process = self.process;
        let id = process.id;
        let doing: Vec<_> = process.threads().iter().map(|&thread| process.doing(thread)).collect();
        drop(self); // the threads that are traced go on
        if process.has_ended() {
            return environment(format!("process {id} has ended"));
        }
        if !process.is_there() {
            return environment(format!("process {id} is another program now"));
        }
        let waits = || {
            doing.iter().filter_map(|each| match each {
                Doing::Waiting(call) => Some(call),
                _ => None,
            })
        };
        let seconds = LIMIT.as_secs();
        if waits().any(system_calls::is_vfork) {
            return environment(format!(
                "process {id} could not load the recorder within {seconds} s: a thread waits until \
                 a child that it made by vfork ends or calls exec; try again"
            ));
        }
        let seen =
            waits().filter(|call| matches!(waits::of(process, call), Wait::Timed | Wait::Seen));
        let names: BTreeSet<_> = seen.map(|call| system_calls::name_of(call.number)).collect();
        if names.is_empty() {
            return environment(format!(
                "process {id} could not load the recorder within {seconds} s: no thread waited in \
                 a system call or called malloc; try again"
            ));
        }
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        environment(format!(
            "process {id} could not load the recorder within {seconds} s: no thread came out of \
             {names}, and an interruption would end or prolong such a wait; try again"
        ))
    }
}

fn is_interrupted(registers: &user_regs_struct) -> bool {
    const RESTARTS: std::ops::RangeInclusive<i64> = -516..=-512; // the kernel's ERESTART…
    let result = registers.rax as i64;
    RESTARTS.contains(&result) || result == -i64::from(EINTR)
}
