//! Measures a server: starts it, waits until it is ready, runs the load, stops it.

mod service;

use anyhow::{Result, bail};

use crate::launch::{Ended, Launcher, Setting};
use crate::program::Program;

pub use service::{Ready, Service, StopSignal};

impl Launcher<'_> {
    /// Runs `program` as a server. `run` calls this if the launcher has a service.
    pub fn serve(&self, _: &Program, _: &Service, _: &[Setting]) -> Result<Ended> {
        bail!("servers cannot be measured yet")
    }
}
