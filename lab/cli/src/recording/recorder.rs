//! The library that records, and the environment in which a program loads it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::launch::Setting;
use heapsmith_measure::place::Lab;
use heapsmith_measure::preload::require_preloadable_path;
use heapsmith_measure::prove::preloads;

/// The library to preload.
pub fn require_recorder(lab: &Lab) -> Result<PathBuf> {
    let recorder = lab.recorder();
    if !recorder.is_file() {
        return Err(environment(format!(
            "no recorder at {}; ./dev build makes it in the source tree",
            recorder.display()
        )));
    }
    require_preloadable_path(&recorder)?;
    Ok(recorder)
}

/// The environment in which a program under the malloc `base` writes what it does into `raw`.
pub fn recording(base: &Installed, recorder: &Path, raw: &Path) -> Vec<Setting> {
    let mut settings = preloads(base, None);
    for (name, value) in &mut settings {
        if name == "LD_PRELOAD" {
            let mut all = recorder.as_os_str().to_owned();
            if let Some(others) = value.take() {
                all.push(":");
                all.push(others);
            }
            *value = Some(all);
        }
    }
    settings.push(("HEAPSMITH_RECORD_DIR".into(), Some(raw.as_os_str().to_owned())));
    settings
}
