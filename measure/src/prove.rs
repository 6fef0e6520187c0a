//! The proof that an allocator was loaded: an unmeasured run with the probe shows whose malloc ran.

mod judge;
mod seen;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::contender::{ANY_VERSION, Installed, Pinned};
use crate::failure::Failure;
use crate::launch::{Ended, Event, Launcher, Setting};
use crate::place::Lab;
use crate::program::{Program, quote};

use judge::{judge, parse};
use seen::Watcher;

/// A contender as results name it, with the library that was really loaded.
#[derive(Clone, Debug)]
pub struct Identity {
    pub name: String,
    pub version: String,
    pub library: PathBuf,
    pub loaded: bool,
    /// Environment variables that the program had under this contender only.
    pub settings: Vec<(String, String)>,
}

impl Identity {
    /// The line that runs `program`, a command line, under this contender.
    pub fn line(&self, program: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        for (name, value) in &self.settings {
            words.push(format!("{name}={}", quote(&[value.into()])));
        }
        if self.version != version::NO_PRELOAD {
            words.push(format!("LD_PRELOAD={}", quote(&[self.library.clone().into()])));
        }
        words.push(program.to_string());
        words.join(" ")
    }
}

/// A program that the measured one has run, and the library that serves malloc in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The first of its processes.
    pub pid: i32,
    /// The number of its processes.
    pub processes: usize,
    pub program: PathBuf,
    /// The C library if the probe was not loaded; empty for a static program.
    pub library: PathBuf,
    pub version: String,
    /// Whether it has malloc in reach, or memory that it has allocated otherwise.
    pub allocates: bool,
}

/// The outcome of the unmeasured run.
pub struct Proof {
    pub ended: Ended,
    pub loaded: Result<Identity, Failure>,
    pub processes: Vec<Process>,
    /// A clause for each program that ran under something else than the contender.
    pub remarks: Vec<String>,
}

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
    let output = crate::launch::Output::Discard;
    let launcher =
        Launcher { lab, interrupt: &interrupt, input: None, output, timeout: None, service: None };
    let nothing = Program::find(&["true".into()])?;
    Ok(prove(&launcher, &nothing, installed)?.loaded)
}

#[cfg(test)]
mod tests {
    //! The line to paste.
    use super::*;

    #[test]
    fn a_shell_reads_a_librarys_path_as_one_word() {
        let identity = Identity {
            name: "own".to_string(),
            version: "1".to_string(),
            library: "/tmp/a;b/$(c)&.so".into(),
            loaded: true,
            settings: vec![("A".to_string(), "x y".to_string())],
        };
        assert_eq!(identity.line("ls -l"), "A='x y' LD_PRELOAD='/tmp/a;b/$(c)&.so' ls -l");
    }
}
