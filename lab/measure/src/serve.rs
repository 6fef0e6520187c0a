//! Measures a server: starts it, waits until it is ready, runs the load, stops it.
//!
//! Launchers start the server, the load and the command of `--ready`, so that none of them outlives
//! the session.

mod end;
mod ready;

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::drain::{Drain, Tap, read_ready};
use crate::error::environment;
use crate::interrupt::Interrupt;
use crate::launch::{Costs, Ended, Event, Exit, Launcher, Observer, Setting};
use crate::pace::Pace;
use crate::process::Running;
use crate::program::Program;
use crate::service::Service;
use crate::tree;

use end::{Halt, Stop, conclude, spell};
use ready::Watch;

const POLL: Duration = Duration::from_millis(100);
const READY_POLL: Duration = Duration::from_millis(5);
/// A load may shut the server down, or notice the server's end before we do.
const NEAR_THE_END: Duration = Duration::from_secs(2);
/// A wrapper has this long to end after its program.
const WRAPPER_ENDS_WITHIN: Duration = Duration::from_secs(1);

/// Refuses at once to measure a server that runs already.
pub fn preflight(launcher: &Launcher) -> Result<()> {
    let Some(service) = launcher.service else { return Ok(()) };
    match ready::taken(launcher, &service.ready)? {
        Some(why) => Err(environment(why)),
        None => Ok(()),
    }
}

pub(crate) fn run(
    launcher: &Launcher,
    program: &Program,
    service: &Service,
    settings: &[Setting],
    pace: Option<&Pace>,
    observer: &mut Observer,
) -> Result<Ended> {
    if let Some(why) = ready::taken(launcher, &service.ready)? {
        let costs = Costs::default();
        let exit = Exit::NotServed { code: None, signal: None };
        return Ok(Ended { trouble: Some(why), ..Ended::new(0, costs, exit) });
    }
    if launcher.interrupt.asked() {
        return Ok(Ended::not_started());
    }
    let mut watch = Watch::new(launcher, &service.ready);
    // The time limit is one for the load.
    let unlimited = Launcher { timeout: None, ..launcher.clone() };
    let server = Running::start_tapped(&unlimited, program, settings, watch.taps())?;
    observer(Event::Started(server.launcher_id()))?;
    let mut session = Session { launcher, service, server, asked_at: None };
    let outcome = session.work(&mut watch, pace, observer);
    drop(watch);
    let stop = session.stop(outcome.is_ok())?;
    conclude(service, session.server.finish(program)?, outcome, stop)
}

struct Session<'a> {
    launcher: &'a Launcher<'a>,
    service: &'a Service,
    server: Running,
    asked_at: Option<Instant>,
}

impl Session<'_> {
    fn work(
        &mut self,
        watch: &mut Watch,
        pace: Option<&Pace>,
        observer: &mut Observer,
    ) -> Result<f64, Halt> {
        self.await_ready(watch)?;
        observer(Event::LoadBegins)?;
        let began = Instant::now();
        let duration = pace.and_then(|pace| pace.duration).unwrap_or_default();
        let load_s = loop {
            let load_s = self.run_load()?;
            if began.elapsed() >= duration || self.server.is_over() {
                break load_s;
            }
        };
        observer(Event::LoadEnded)?;
        if let Some(pace) = pace {
            self.stay_idle(pace.idle)?;
            observer(Event::IdleEnded)?;
        }
        Ok(load_s)
    }

    fn await_ready(&mut self, watch: &mut Watch) -> Result<(), Halt> {
        let within = self.service.ready_within;
        let began = Instant::now();
        loop {
            self.pump(watch.drains(), READY_POLL)?;
            if self.server.is_over() {
                return Err(Halt::Died("before it was ready"));
            }
            if watch.check()? {
                return Ok(());
            }
            if began.elapsed() >= within {
                let clause =
                    format!("the server was not ready after {}: {}", spell(within), watch.unmet());
                return Err(Halt::Failed(clause, None));
            }
        }
    }

    /// Returns the load's wall time.
    fn run_load(&mut self) -> Result<f64, Halt> {
        let shell = Program::shell(&self.service.load)?;
        let launcher = Launcher { input: None, service: None, ..self.launcher.clone() };
        let silent = [(); 2].map(|()| Box::new(|_: &[u8]| {}) as Tap);
        let mut load = Running::start_tapped(&launcher, &shell, &[], silent)?;
        let mut died_at: Option<Instant> = None;
        while !load.is_over() {
            self.pump(Some(load.drains()), POLL)?;
            if self.server.is_over() {
                let since = died_at.get_or_insert_with(Instant::now);
                if since.elapsed() >= NEAR_THE_END {
                    return Err(Halt::Died("during the load"));
                }
            }
        }
        while read_ready(&mut load.drains(), 0)? {}
        let ended = load.finish(&shell)?;
        if ended.exit == Exit::Code(0) {
            return Ok(ended.costs.wall_s);
        }
        let noticed = Instant::now();
        while !self.server.is_over() && noticed.elapsed() < NEAR_THE_END {
            self.pump(None, READY_POLL)?;
        }
        if self.server.is_over() {
            return Err(Halt::Died("during the load"));
        }
        let clause = match (ended.exit, self.launcher.timeout) {
            (Exit::TimedOut, Some(limit)) => {
                format!("the load did not end within {}", spell(limit))
            }
            (exit, _) => format!("the load failed, {}", exit.describe_after()),
        };
        Err(Halt::Failed(clause, Some(last_words(&ended).to_string())))
    }

    fn stay_idle(&mut self, idle: Duration) -> Result<(), Halt> {
        let began = Instant::now();
        while let Some(left) = idle.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
            self.pump(None, POLL.min(left))?;
            if self.server.is_over() {
                return Err(Halt::Died("while it was idle after the load"));
            }
        }
        Ok(())
    }

    /// Reads all pipes, for at most `wait`.
    fn pump(&mut self, others: Option<[&mut Drain; 3]>, wait: Duration) -> Result<(), Halt> {
        let mut drains: Vec<&mut Drain> = self.server.drains().into();
        drains.extend(others.into_iter().flatten());
        read_ready(&mut drains, wait.as_millis().max(1) as i32)?;
        if self.notice_interrupt(self.launcher.interrupt) {
            return Err(Halt::Interrupted);
        }
        Ok(())
    }

    fn notice_interrupt(&mut self, interrupt: &Interrupt) -> bool {
        if interrupt.asked() {
            let since = self.asked_at.get_or_insert_with(Instant::now);
            interrupt.arm_after(since.elapsed());
        }
        interrupt.asked()
    }

    /// Ends the server: as the service says if it has served, else at once.
    fn stop(&mut self, served: bool) -> Result<Stop> {
        let mut stop = if self.server.is_over() { Stop::ByItself } else { Stop::Asked };
        let mut wrapper_is_told = true;
        if stop == Stop::Asked && served {
            wrapper_is_told = self.ask_to_stop();
        } else {
            self.server.stop();
        }
        let began = Instant::now();
        while !self.server.is_over() {
            read_ready(&mut self.server.drains(), POLL.as_millis() as i32)?;
            let interrupted = self.notice_interrupt(self.launcher.interrupt);
            let late = began.elapsed() >= self.service.stop_within;
            if (late || interrupted) && stop != Stop::Forced && served {
                self.server.stop();
                stop = Stop::Forced;
            }
            if !wrapper_is_told && began.elapsed() >= WRAPPER_ENDS_WITHIN {
                self.server.pass_on(self.service.stop.0);
                wrapper_is_told = true;
            }
        }
        while read_ready(&mut self.server.drains(), 0)? {}
        Ok(stop)
    }

    /// Sends the signal to the server. If a wrapper has started it, the wrapper is told later, since
    /// it ends after the server. Returns whether the first process was told.
    fn ask_to_stop(&self) -> bool {
        let (root, signal) = (self.server.launcher_id(), self.service.stop.0);
        let below = tree::programs_below_wrappers(root);
        let told = below.iter().filter(|pid| tree::signal_descendant(root, **pid, signal)).count();
        if told == 0 {
            self.server.pass_on(signal);
        }
        told == 0
    }
}

fn last_words(ended: &Ended) -> &str {
    let written = [&ended.stderr_tail, &ended.stdout];
    let last = written.into_iter().find_map(|text| text.trim_end().lines().next_back());
    last.unwrap_or_default()
}
