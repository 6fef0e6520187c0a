//! One run of a program: started through the static launcher, waited for, read out.

use anyhow::Result;

use crate::launch::{Ended, Event, Launcher, Observer, Output, Setting};
use crate::pace::Pace;
use crate::process::Running;
use crate::program::Program;
use crate::serve;

impl Launcher<'_> {
    /// The same launcher, which keeps the output of its programs to itself.
    pub(crate) fn quietly(&self) -> Self {
        Self { output: Output::Discard, ..self.clone() }
    }

    /// Runs the program once: as a server if there is a service, else until it ends. After an
    /// interrupt nothing is started.
    pub fn run(&self, program: &Program, settings: &[Setting]) -> Result<Ended> {
        self.observe(program, settings, None, &mut |_| Ok(()))
    }

    /// Runs a program that prepares or cleans up, even after an interrupt.
    pub fn run_aside(&self, program: &Program) -> Result<Ended> {
        self.run_alone(program, &[], &mut |_| Ok(()))
    }

    /// Runs the program once and tells `observer` its turns. With a pace, a server's load is
    /// repeated and followed by idle time.
    pub(crate) fn observe(
        &self,
        program: &Program,
        settings: &[Setting],
        pace: Option<&Pace>,
        observer: &mut Observer,
    ) -> Result<Ended> {
        if self.interrupt.asked() {
            return Ok(Ended::not_started());
        }
        match self.service {
            Some(service) => serve::run(self, program, service, settings, pace, observer),
            None => self.run_alone(program, settings, observer),
        }
    }

    fn run_alone(
        &self,
        program: &Program,
        settings: &[Setting],
        observer: &mut Observer,
    ) -> Result<Ended> {
        let mut running = Running::start(self, program, settings)?;
        observer(Event::Started(running.launcher_id()))?;
        running.drain_until_closed(self.interrupt)?;
        running.finish(program)
    }
}
