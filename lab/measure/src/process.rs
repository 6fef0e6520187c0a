//! One process under the static launcher, with its pipes: started, read, asked to stop, waited for.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::drain::{Drain, Tap, read_ready};
use crate::error::environment;
use crate::interrupt::Interrupt;
use crate::launch::{Costs, Ended, Exit, Launcher, Output, Setting};
use crate::program::Program;

const TAIL_BYTES: usize = 4 << 10;
const STDOUT_BYTES: usize = 64 << 10;
/// How long an interrupted program may take to end by itself before it is made to.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
const POLL_MS: i32 = 200;

/// A launcher that runs, with the program below it. Dropping it ends both.
pub struct Running {
    child: Child,
    report: Drain,
    stdout: Drain,
    stderr: Drain,
    stop_asked: Cell<bool>,
    over: bool,
}

impl Running {
    /// Starts `program` with output as the launcher's session has it.
    pub fn start(launcher: &Launcher, program: &Program, settings: &[Setting]) -> Result<Self> {
        let stdout = match launcher.output {
            Output::Discard => Stdio::null(),
            Output::Show => Stdio::inherit(),
            Output::Capture => Stdio::piped(),
        };
        let shown = launcher.output == Output::Show;
        let stderr = if shown { Stdio::inherit() } else { Stdio::piped() };
        Self::spawn(launcher, program, settings, [stdout, stderr])
    }

    /// Starts `program` and hands all that it writes to `tap`, which may be called for both streams.
    pub fn start_tapped(
        launcher: &Launcher,
        program: &Program,
        settings: &[Setting],
        taps: [Tap; 2],
    ) -> Result<Self> {
        let pipes = [Stdio::piped(), Stdio::piped()];
        let mut running = Self::spawn(launcher, program, settings, pipes)?;
        let [stdout, stderr] = taps;
        let shows = launcher.output == Output::Show;
        running.stdout.tap(TAIL_BYTES, shown(shows, io::stdout(), stdout));
        running.stderr.tap(TAIL_BYTES, shown(shows, io::stderr(), stderr));
        Ok(running)
    }

    fn spawn(
        launcher: &Launcher,
        program: &Program,
        settings: &[Setting],
        [stdout, stderr]: [Stdio; 2],
    ) -> Result<Self> {
        let (report_end, report_fd) =
            pipe_with(PipeFlags::CLOEXEC).context("a pipe for the launcher's report")?;
        let inherited = report_fd.as_raw_fd();
        let mut command = command(launcher, program, settings, inherited)?;
        command.stdout(stdout).stderr(stderr);
        // SAFETY: the closure runs between fork and exec and makes one async-signal-safe call.
        unsafe { command.pre_exec(move || keep_across_exec(inherited)) };
        let mut child = command.spawn().context("starting the launcher")?;
        let stdout = Drain::keep_first(child.stdout.take(), STDOUT_BYTES);
        let stderr = Drain::keep_last(child.stderr.take(), TAIL_BYTES);
        let report = Drain::keep_first(Some(report_end), STDOUT_BYTES);
        Ok(Self { child, report, stdout, stderr, stop_asked: Cell::new(false), over: false })
    }

    /// The launcher's own id. The processes of the program are its descendants.
    pub fn launcher_id(&self) -> i32 {
        self.child.id() as i32
    }

    /// The report comes first.
    pub fn drains(&mut self) -> [&mut Drain; 3] {
        [&mut self.report, &mut self.stdout, &mut self.stderr]
    }

    /// Whether the launcher has made its report.
    pub fn is_over(&self) -> bool {
        !self.report.is_open()
    }

    /// The launcher ends the program, and whatever the program has started, on SIGTERM.
    pub fn stop(&self) {
        self.stop_asked.set(true);
        // SAFETY: the launcher has not been waited for, so the id is still its own.
        unsafe { libc::kill(self.launcher_id(), libc::SIGTERM) };
    }

    /// The launcher passes `signal` on to the program.
    pub fn pass_on(&self, signal: i32) {
        let value = libc::sigval { sival_ptr: signal as usize as *mut libc::c_void };
        // SAFETY: as in `stop`; the value is a number.
        unsafe { libc::sigqueue(self.launcher_id(), libc::SIGUSR1, value) };
    }

    /// Drains until the report is closed, then takes what is left in the other pipes without waiting.
    /// After an interrupt the program gets a grace period, then it is stopped.
    pub fn drain_until_closed(&mut self, interrupt: &Interrupt) -> Result<()> {
        let mut asked_at = None;
        let mut stopped = false;
        while !self.is_over() {
            read_ready(&mut self.drains(), POLL_MS)?;
            if interrupt.asked() && !stopped {
                let since: &Instant = asked_at.get_or_insert_with(Instant::now);
                interrupt.arm_after(since.elapsed());
                if since.elapsed() >= INTERRUPT_GRACE {
                    self.stop();
                    stopped = true;
                }
            }
        }
        while read_ready(&mut self.drains(), 0)? {}
        Ok(())
    }

    /// Waits for the launcher and reads its report.
    pub fn finish(mut self, program: &Program) -> Result<Ended> {
        self.child.wait().context("waiting for the launcher")?;
        self.over = true;
        let report = self.report.text();
        let mut ended = if report.is_empty() && self.stop_asked.get() {
            // The signal came before the launcher was ready for it and had started the program.
            Ended::not_started()
        } else {
            read_report(&report, program)?
        };
        (ended.stdout, ended.stderr_tail) = (self.stdout.text(), self.stderr.text());
        Ok(ended)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.over {
            self.stop();
            let _ = self.child.wait();
        }
    }
}

/// A tap that also passes everything through to the user.
fn shown(shows: bool, mut to: impl Write + 'static, mut tap: Tap) -> Tap {
    if !shows {
        return tap;
    }
    Box::new(move |bytes| {
        // A user who closes the stream wants no more of it.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
        tap(bytes);
    })
}

fn command(
    launcher: &Launcher,
    program: &Program,
    settings: &[Setting],
    report: RawFd,
) -> Result<Command> {
    let mut command = Command::new(launcher.lab.launcher());
    let timeout_ms = launcher.timeout.map_or(0, |timeout| timeout.as_millis().max(1));
    command.arg(report.to_string()).arg(timeout_ms.to_string()).arg(&program.path);
    for (name, value) in settings {
        let mut change = OsString::from(if value.is_some() { "" } else { "-" });
        change.push(name.as_ref());
        if let Some(value) = value {
            change.push("=");
            change.push(value);
        }
        command.arg(change);
    }
    command.arg("--").args(&program.argv);
    command.stdin(match launcher.input {
        Some(path) => Stdio::from(File::open(path).with_context(|| path.display().to_string())?),
        None => Stdio::null(),
    });
    Ok(command)
}

fn keep_across_exec(fd: RawFd) -> io::Result<()> {
    // SAFETY: fcntl on a descriptor number touches no memory.
    match unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn read_report(report: &str, program: &Program) -> Result<Ended> {
    let words: Vec<&str> = report.split_whitespace().collect();
    match words.as_slice() {
        ["refused", errno] => {
            let error = io::Error::from_raw_os_error(errno.parse()?);
            Err(environment(format!("cannot run {}: {error}", program.path.display())))
        }
        ["ran", numbers @ .., how] => {
            let parsed: Result<Vec<i64>, _> = numbers.iter().map(|word| word.parse()).collect();
            let [pid, wall_ns, user_us, system_us, maxrss_kib, minor, major, status, left] =
                parsed?[..]
            else {
                return Err(anyhow!("the launcher's report is not complete: {report}"));
            };
            let costs = Costs {
                wall_s: wall_ns as f64 / 1e9,
                load_s: None,
                cpu_s: (user_us + system_us) as f64 / 1e6,
                peak_rss_bytes: (maxrss_kib * 1024) as f64,
                page_faults: (minor + major) as f64,
            };
            let exit = exit_of(how, status as i32);
            Ok(Ended { left_behind: left as usize, ..Ended::new(pid as i32, costs, exit) })
        }
        _ => Err(anyhow!("the launcher ended without a report")),
    }
}

fn exit_of(how: &str, status: i32) -> Exit {
    match how {
        "timeout" => Exit::TimedOut,
        "stopped" => Exit::Stopped,
        _ if libc::WIFSIGNALED(status) => Exit::Signal(libc::WTERMSIG(status)),
        _ => Exit::Code(libc::WEXITSTATUS(status)),
    }
}
