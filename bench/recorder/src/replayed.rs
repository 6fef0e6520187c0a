//! A replay on the null allocator, which costs what the replay itself costs.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use heapsmith_measure::launch::Launcher;
use heapsmith_measure::program::Program;
use heapsmith_trace::plan::{Order, Survey, compile};
use tempfile::TempDir;

use crate::target::Target;

const EVENTS: f64 = 1e7;

pub fn measure(launcher: &Launcher, trace: &Path) -> Result<Vec<Target>> {
    let survey = Survey::of(trace)?;
    let folder = TempDir::with_prefix("heapsmith-replay-")?;
    let plan = folder.path().join("plan");
    let compiled = compile(trace, &survey, Order::Bounded, &plan)?;
    let words: Vec<OsString> =
        vec![launcher.lab.replayer().into(), plan.into(), "--null".into(), "--touch=none".into()];
    let ended = launcher.run(&Program::find(&words)?, &[])?;
    let value = |name: &str| {
        let line =
            ended.stdout.lines().find_map(|line| line.strip_prefix(&format!("value {name} ")));
        line.and_then(|text| text.parse::<f64>().ok()).with_context(|| format!("no {name}"))
    };
    let seconds = value("replay_wall_s")? * EVENTS / compiled.calls as f64;
    let mib = value("replay_own_bytes")? / 1024.0 / 1024.0;
    let what = format!("null replay, 10^7 events (of {} replayed)", compiled.calls);
    Ok(vec![
        Target::at_most(&what, seconds, 3.0, " s"),
        Target::at_most("null replay, the replayer's own memory", mib, 64.0, " MiB"),
    ])
}
