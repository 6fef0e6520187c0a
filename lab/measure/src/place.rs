//! Where the launcher, the probe, the measured programs and heapsmith's library are.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::error::environment;
use crate::preload::require_preloadable_path;

/// The folder of the launcher and the probe.
#[derive(Clone, Debug)]
pub struct Lab {
    folder: PathBuf,
}

impl Lab {
    /// HEAPSMITH_LAB_DIR, or `lab` beside the command, or where an installation puts it.
    pub fn find() -> Result<Self> {
        let own = own_folder()?;
        let places = match env::var_os("HEAPSMITH_LAB_DIR") {
            Some(named) => vec![PathBuf::from(named)],
            None => vec![own.join("lab"), own.join("../libexec/heapsmith"), own.join("../lab")],
        };
        let complete = |folder: &PathBuf| {
            folder.join("launcher").is_file() && folder.join("libprobe.so").is_file()
        };
        let Some(found) = places.iter().find(|folder| complete(folder)) else {
            let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
            return Err(environment(format!(
                "no launcher and libprobe.so in {}; ./dev build makes them in the source tree",
                places.join(", ")
            )));
        };
        Self::at(found)
    }

    /// The lab in `folder`, which has both programs.
    pub fn at(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
        let lab = Self { folder };
        require_preloadable_path(&lab.probe())?;
        Ok(lab)
    }

    pub fn launcher(&self) -> PathBuf {
        self.folder.join("launcher")
    }

    pub fn probe(&self) -> PathBuf {
        self.folder.join("libprobe.so")
    }

    pub fn replayer(&self) -> PathBuf {
        self.folder.join("replayer")
    }

    pub fn recorder(&self) -> PathBuf {
        self.folder.join("libheapsmith_recorder.so")
    }

    /// The folder that one build puts everything in: the lab is one of its folders.
    pub fn build(&self) -> &Path {
        self.folder.parent().unwrap_or(Path::new("/"))
    }
}

/// The folders that may hold heapsmith's library. `named` (the option or HEAPSMITH_PRELOAD) is the
/// library itself or its folder; if given, no other folder is searched.
pub fn beside(named: Option<&Path>) -> Result<Vec<PathBuf>> {
    if let Some(named) = named {
        let full = named.canonicalize().map_err(|error| {
            environment(format!("heapsmith's library {}: {error}", named.display()))
        })?;
        let folder = if full.is_dir() { Some(full.as_path()) } else { full.parent() };
        return Ok(folder.map(Path::to_path_buf).into_iter().collect());
    }
    let own = own_folder()?;
    let around = [".", "..", "../lib", "../lib/x86_64-linux-gnu", "../lib64"];
    Ok(around.iter().filter_map(|step| own.join(step).canonicalize().ok()).collect())
}

/// The folder of the allocators that `heapsmith peers install` builds: `peers` in
/// HEAPSMITH_CACHE_DIR, or in the user's cache folder. None if the user has no home folder.
pub fn peers() -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let named = variable("HEAPSMITH_CACHE_DIR").map(PathBuf::from);
    let of_user = || {
        let base = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let base = base.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
        Some(base.join("heapsmith"))
    };
    let cache = named.or_else(of_user)?;
    Some(std::path::absolute(&cache).unwrap_or(cache).join("peers"))
}

fn own_folder() -> Result<PathBuf> {
    let own = env::current_exe().context("the command's own path")?.canonicalize()?;
    Ok(own.parent().unwrap_or(Path::new("/")).to_path_buf())
}
