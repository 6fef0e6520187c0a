//! The other processes of a recorded program. Each loads the allocator, which costs some allocators
//! milliseconds, and makes calls of its own.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_trace::plan::{Order, Survey, compile};

use crate::args::replay::Touch;
use crate::replay::one_run::require_room;

/// So many processes are replayed. The smallest of them stands for all that are left.
const MOST: usize = 12;
/// A forked process loads nothing. It is replayed from so many calls on.
const FORKED: u64 = 100_000;

pub struct Other {
    pub plan: PathBuf,
    /// So many processes.
    pub stands_for: f64,
}

/// Makes plans of the traces in `traces`, if there is such a folder, in the folder `to`.
pub fn prepare(traces: &Path, to: &Path) -> Result<Vec<Other>> {
    let Ok(entries) = fs::read_dir(traces) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| traces.display().to_string())?.path();
        let survey = Survey::of(&path)?;
        let is_forked = survey.tables.meta.fork_tick != 0;
        if survey.events > 0 && (!is_forked || survey.events >= FORKED) {
            found.push((Reverse(survey.events), path, survey));
        }
    }
    found.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let left = found.len().saturating_sub(MOST);
    let mut others = Vec::new();
    for (n, (_, trace, survey)) in found.into_iter().take(MOST).enumerate() {
        let plan = to.join(format!("other-{n}"));
        require_room(&trace, &compile(&trace, &survey, Order::Bounded, &plan)?, Touch::Measured)?;
        others.push(Other { plan, stands_for: 1.0 });
    }
    if let Some(smallest) = others.last_mut() {
        smallest.stands_for += left as f64;
    }
    Ok(others)
}
