//! The proof that an allocator was loaded: an unmeasured run with the probe shows whose malloc ran.

mod identity;
mod judge;
mod proof;
mod seen;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::contender::{ANY_VERSION, Installed, Pinned};
use crate::failure::Failure;
use crate::launch::{Event, Launcher, Output, Setting};
use crate::place::Lab;
use crate::program::Program;

pub use identity::Identity;
use judge::{judge, parse};
pub use proof::{Process, Proof};
use seen::Watcher;

/// The environment of a run: the preloads (the contender's, then the probe, then the user's own) and
/// the contender's settings.
pub fn preloads(installed: &Installed, probe: Option<&Path>) -> Vec<Setting> {
    let user = std::env::var_os("LD_PRELOAD").filter(|value| !value.is_empty());
    let ours = installed.preload.iter().map(PathBuf::as_path).chain(probe);
    let all: Vec<OsString> = ours.map(OsString::from).chain(user).collect();
    let joined = all.join(OsString::from(":").as_os_str());
    let preload = ("LD_PRELOAD".into(), (!joined.is_empty()).then_some(joined));
    let settings = installed.settings.iter();
    let settings = settings.map(|(name, value)| (name.clone().into(), Some(value.into())));
    std::iter::once(preload).chain(settings).collect()
}

/// Runs the program once with the probe behind the allocator.
pub fn prove(launcher: &Launcher, program: &Program, installed: &Installed) -> Result<Proof> {
    let file = tempfile::NamedTempFile::new().context("a file for the probe")?;
    let mut settings = preloads(installed, Some(&launcher.lab.probe()));
    settings.push(("HEAPSMITH_PROBE_FILE".into(), Some(file.path().into())));
    let how = match installed.contender.version.as_deref() {
        Some(ANY_VERSION) => Some(Pinned::load()?.ways_to_ask()),
        how => how.map(str::to_string),
    };
    settings.push(("HEAPSMITH_PROBE_VERSION".into(), how.map(OsString::from)));
    let mut watcher = None;
    let ended = launcher.observe(program, &settings, None, &mut |event| {
        if let Event::Started(launcher) = event {
            watcher = Some(Watcher::start(launcher)?);
        }
        Ok(())
    })?;
    let seen = watcher.map(Watcher::finish).transpose()?.unwrap_or_default();
    let text = std::fs::read(file.path()).context("the probe's file")?;
    let mut proof = judge(installed, ended, &parse(&text), &seen);
    name_as_called(program, &mut proof.processes);
    Ok(proof)
}

/// The kernel names a program by its real path. The user may know it by the name of a link.
fn name_as_called(program: &Program, processes: &mut [Process]) {
    let Ok(real) = program.path.canonicalize() else { return };
    for process in processes.iter_mut().filter(|process| process.program == real) {
        process.program.clone_from(&program.path);
    }
}

/// The library that serves malloc when `installed` is loaded into a program that does nothing.
pub fn identify(lab: &Lab, installed: &Installed) -> Result<Result<Identity, Failure>> {
    let interrupt = crate::interrupt::Interrupt::default();
    let output = Output::Discard;
    let launcher =
        Launcher { lab, interrupt: &interrupt, input: None, output, timeout: None, service: None };
    let nothing = Program::find(&["true".into()])?;
    Ok(prove(&launcher, &nothing, installed)?.loaded)
}
