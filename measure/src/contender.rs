//! The pinned allocators of lab/contenders.toml, and where each one is on this machine.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::error::{environment, usage};

pub const AS_BUILT: &str = "as-built";
pub const GLIBC: &str = "glibc";
pub const HEAPSMITH: &str = "heapsmith";

const PINNED: &str = include_str!("../../lab/contenders.toml");

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    pub name: String,
    pub about: String,
    pub package: Option<String>,
    pub pinned: Option<String>,
    #[serde(default)]
    pub preload: Vec<String>,
    #[serde(default)]
    pub beside: bool,
    #[serde(default)]
    pub objects: Vec<String>,
    pub version: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    directories: Vec<PathBuf>,
    #[serde(rename = "contender")]
    pub contenders: Vec<Contender>,
}

/// An installed contender. Only `as-built` has no `preload`.
#[derive(Clone, Debug)]
pub struct Installed {
    pub contender: Contender,
    pub preload: Option<PathBuf>,
}

impl Installed {
    pub fn name(&self) -> &str {
        &self.contender.name
    }

    /// The libraries its work happens in, under their real paths.
    pub fn objects(&self) -> Vec<PathBuf> {
        let Some(preload) = &self.preload else {
            return Vec::new();
        };
        let folder = preload.parent().unwrap_or(Path::new("/"));
        let further = self.contender.objects.iter().map(|name| folder.join(name));
        let all = std::iter::once(preload.clone()).chain(further);
        all.map(|path| path.canonicalize().unwrap_or(path)).collect()
    }
}

impl Pinned {
    pub fn load() -> Result<Self> {
        Self::parse(PINNED)
    }

    pub fn parse(text: &str) -> Result<Self> {
        let pinned: Self = toml::from_str(text).context("lab/contenders.toml")?;
        for (index, contender) in pinned.contenders.iter().enumerate() {
            let name = &contender.name;
            let twice = pinned.contenders[..index].iter().any(|other| other.name == *name);
            anyhow::ensure!(!twice, "lab/contenders.toml: '{name}' is listed twice");
            let bare = contender.preload.is_empty();
            anyhow::ensure!(
                bare == (name == AS_BUILT),
                "lab/contenders.toml: '{name}': only {AS_BUILT} has no preload"
            );
        }
        Ok(pinned)
    }

    pub fn names(&self) -> Vec<&str> {
        self.contenders.iter().map(|contender| contender.name.as_str()).collect()
    }

    pub fn named(&self, name: &str) -> Result<&Contender> {
        let found = self.contenders.iter().find(|contender| contender.name == name);
        found.ok_or_else(|| {
            usage(format!(
                "no allocator is called '{name}'{}; there are {}",
                crate::suggest::did_you_mean(name, &self.names()),
                self.names().join(", ")
            ))
        })
    }

    /// Where `contender` is; the error is one line saying how to get it.
    pub fn install(&self, contender: &Contender, beside: &[PathBuf]) -> Result<Installed> {
        let folders = if contender.beside { beside } else { &self.directories };
        if contender.preload.is_empty() {
            return Ok(Installed { contender: contender.clone(), preload: None });
        }
        let places = folders
            .iter()
            .flat_map(|folder| contender.preload.iter().map(|name| folder.join(name)));
        let Some(path) = places.into_iter().find(|path| path.is_file()) else {
            return Err(environment(self.how_to_get(contender)));
        };
        require_preloadable_path(&path)?;
        Ok(Installed { contender: contender.clone(), preload: Some(path) })
    }

    fn how_to_get(&self, contender: &Contender) -> String {
        let Contender { name, preload, .. } = contender;
        match &contender.package {
            Some(package) => format!("{name} is not installed: apt install {package}"),
            None => format!("{name}: no {} beside the command: ./dev build", preload.join(" or ")),
        }
    }
}

/// ld.so splits LD_PRELOAD at colons and spaces and has no way to quote them.
pub fn require_preloadable_path(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    if text.contains([':', ' ']) {
        return Err(environment(format!(
            "{text} cannot be preloaded: LD_PRELOAD takes no path with a space or a colon"
        )));
    }
    Ok(())
}

/// The contenders to run: those of `wanted`, which must all be here, or else those of `usual` that
/// are here, with a line for each one that is not.
pub fn choose(
    pinned: &Pinned,
    wanted: &[String],
    usual: &[&str],
    beside: &[PathBuf],
) -> Result<(Vec<Installed>, Vec<String>)> {
    let mut chosen: Vec<Installed> = Vec::new();
    let mut absent = Vec::new();
    let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
    for name in if wanted.is_empty() { usual } else { &names } {
        if chosen.iter().any(|other| other.name() == *name) {
            return Err(usage(format!("--alloc names '{name}' twice")));
        }
        match pinned.install(pinned.named(name)?, beside) {
            Ok(installed) => chosen.push(installed),
            Err(error) if wanted.is_empty() => absent.push(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok((chosen, absent))
}

#[cfg(test)]
#[path = "contender_tests.rs"]
mod tests;
