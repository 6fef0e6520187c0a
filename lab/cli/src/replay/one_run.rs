//! One run of the replayer on a plan.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Costs, Exit, Launcher, Output, Setting};
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::prove::preloads;
use heapsmith_measure::room::available_bytes;
use heapsmith_trace::plan::{Plan, Survey};

use crate::args::replay::Touch;
use crate::replay::output::{Printed, parse};

/// An allocator needs a part of the memory for itself.
const BOOKS: u64 = 16;

/// A survey of a trace that has something to replay.
pub fn survey(trace: &Path) -> Result<Survey> {
    let survey = Survey::of(trace)?;
    if survey.events == 0 {
        let trace = trace.display();
        return Err(environment(format!("{trace} has no events: there is nothing to replay")));
    }
    Ok(survey)
}

/// Fails if the blocks that a replay touches are larger than the memory that is left here: the kernel
/// would kill a process for it, perhaps another one.
pub fn require_room(trace: &Path, plan: &Plan, touch: Touch) -> Result<()> {
    let need = match touch {
        Touch::None => return Ok(()),
        Touch::First => plan.peak_pages,
        Touch::Measured => plan.peak_touched,
    };
    let Some(room) = available_bytes() else { return Ok(()) };
    if need.saturating_add(need / BOOKS) <= room {
        return Ok(());
    }
    let (trace, need, room) = (trace.display(), show_bytes(need as f64), show_bytes(room as f64));
    let line = format!("{trace} has {need} in use at its peak, and {room} of memory are left here");
    Err(environment(format!(
        "{line}: take a machine with more; `heapsmith replay --touch none` touches no block"
    )))
}

/// The processor time without that for blocks which the program had before its first call.
pub fn counted_s(printed: &Printed, costs: &Costs) -> f64 {
    costs.cpu_s - printed.value("replay_prepare_cpu_s")
}

/// Runs plans.
pub struct Player<'a> {
    pub launcher: Launcher<'a>,
}

impl<'a> Player<'a> {
    pub fn new(lab: &'a Lab, interrupt: &'a Interrupt) -> Result<Self> {
        let replayer = lab.replayer();
        if !replayer.is_file() {
            let path = replayer.display();
            return Err(environment(format!(
                "no replayer at {path}; ./dev build makes it in the source tree"
            )));
        }
        let output = Output::Capture;
        let launcher =
            Launcher { lab, interrupt, input: None, output, timeout: None, service: None };
        Ok(Self { launcher })
    }

    pub fn asked(&self) -> bool {
        self.launcher.interrupt.asked()
    }

    pub fn program(&self, plan: &Path, options: &[&str]) -> Result<Program> {
        let mut words: Vec<OsString> = vec![self.launcher.lab.replayer().into(), plan.into()];
        words.extend(options.iter().map(OsString::from));
        Program::find(&words)
    }

    /// One run under a malloc, or on the null allocator; the error is why it does not count.
    pub fn once(
        &self,
        program: &Program,
        installed: Option<&Installed>,
    ) -> Result<Result<(Printed, Costs), Failure>> {
        let name = installed.map_or("null", Installed::name);
        let settings = installed.map(|it| preloads(it, None)).unwrap_or_default();
        self.once_with(program, name, &settings)
    }

    /// The same in an environment; `name` stands in messages.
    pub fn once_with(
        &self,
        program: &Program,
        name: &str,
        settings: &[Setting],
    ) -> Result<Result<(Printed, Costs), Failure>> {
        let ended = self.launcher.run(program, settings)?;
        if ended.exit != Exit::Code(0) {
            return Ok(Err(Failure::of_run(name, &ended)));
        }
        let printed = parse(&ended.stdout)
            .with_context(|| format!("the replayer printed nonsense under {name}"))?;
        Ok(Ok((printed, ended.costs)))
    }
}
