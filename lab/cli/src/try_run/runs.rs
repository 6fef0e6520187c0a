//! One run of a command under one contender, with --prepare before it and --cleanup after it.

use std::ffi::OsString;

use anyhow::Result;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::launch::{Ended, Exit, Launcher, Output};
use heapsmith_measure::memory::{self, Watched};
use heapsmith_measure::pace::Pace;
use heapsmith_measure::program::Program;
use heapsmith_measure::prove::{Proof, preloads, prove};

use crate::args::try_::TryArgs;

pub struct Runs<'a> {
    pub launcher: Launcher<'a>,
    prepare: Option<Hook<'a>>,
    cleanup: Option<Hook<'a>>,
    pace: Pace,
}

/// A command of the user's own, for sh.
struct Hook<'a> {
    option: &'static str,
    command: &'a str,
    program: Program,
}

impl<'a> Runs<'a> {
    pub fn new(args: &'a TryArgs, launcher: Launcher<'a>) -> Result<Self> {
        let hook = |option, command: &'a Option<String>| {
            command.as_deref().map(|command| Hook::new(option, command)).transpose()
        };
        let prepare = hook("--prepare", &args.prepare)?;
        let cleanup = hook("--cleanup", &args.cleanup)?;
        let pace = Pace { idle: args.server.idle, duration: args.server.duration };
        Ok(Self { launcher, prepare, cleanup, pace })
    }

    pub fn interrupted(&self) -> bool {
        self.launcher.interrupt.asked()
    }

    pub fn measured(&self, program: &Program, installed: &Installed) -> Result<Ended> {
        self.between_hooks(|| self.launcher.run(program, &preloads(installed, None)))
    }

    pub fn proof(&self, program: &Program, installed: &Installed) -> Result<Proof> {
        self.between_hooks(|| prove(&self.launcher, program, installed))
    }

    /// A run whose memory is sampled.
    pub fn sampled(&self, program: &Program, installed: &Installed) -> Result<Watched> {
        let settings = preloads(installed, None);
        self.between_hooks(|| memory::watch(&self.launcher, program, &settings, &self.pace))
    }

    /// A run that measures nothing, with further settings.
    pub fn with_settings<const N: usize>(
        &self,
        program: &Program,
        installed: &Installed,
        more: [(&'static str, OsString); N],
    ) -> Result<Ended> {
        let mut settings = preloads(installed, None);
        settings.extend(more.map(|(name, value)| (name.into(), Some(value))));
        self.between_hooks(|| self.launcher.run(program, &settings))
    }

    pub fn is_server(&self) -> bool {
        self.launcher.service.is_some()
    }

    fn between_hooks<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.hook(self.prepare.as_ref())?;
        let done = run();
        self.hook(self.cleanup.as_ref())?;
        done
    }

    fn hook(&self, hook: Option<&Hook>) -> Result<()> {
        let Some(Hook { option, command, program }) = hook else {
            return Ok(());
        };
        let output = match self.launcher.output {
            Output::Show => Output::Show,
            _ => Output::Discard,
        };
        let launcher =
            Launcher { input: None, output, timeout: None, service: None, ..self.launcher.clone() };
        let ended = launcher.run_aside(program)?;
        if ended.exit == Exit::Code(0) || self.interrupted() {
            return Ok(());
        }
        let last = ended.stderr_tail.lines().next_back().unwrap_or_default();
        let said = if last.is_empty() { String::new() } else { format!(": {last}") };
        Err(environment(format!("{option} '{command}': {}{said}", ended.exit.describe())))
    }
}

impl<'a> Hook<'a> {
    fn new(option: &'static str, command: &'a str) -> Result<Self> {
        Ok(Self { option, command, program: Program::shell(command)? })
    }
}
