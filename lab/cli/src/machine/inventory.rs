//! Which allocators are on this machine: version, library and state of each, learnt by loading it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use heapsmith_measure::contender::{Contender, Pinned};
use heapsmith_measure::place::Lab;
use heapsmith_measure::prove::{Identity, identify};
use heapsmith_measure::table::{Table, new_table};

const LOADS: &str = "loads";

/// One contender as it is on this machine.
#[derive(Debug, Serialize)]
pub struct Found {
    pub name: String,
    pub about: String,
    /// None if it is not installed or does not load.
    pub version: Option<String>,
    pub pinned: Option<String>,
    pub from: String,
    pub library: Option<PathBuf>,
    /// "loads", or the reason why it does not, with the command that installs it.
    pub state: String,
}

pub fn look(lab: &Lab, pinned: &Pinned, beside: &[PathBuf]) -> Result<Vec<Found>> {
    pinned.contenders.iter().map(|contender| examine(lab, pinned, contender, beside)).collect()
}

fn examine(lab: &Lab, pinned: &Pinned, contender: &Contender, beside: &[PathBuf]) -> Result<Found> {
    let mut found = Found {
        name: contender.name.clone(),
        about: contender.about.clone(),
        version: None,
        pinned: contender.pinned.clone(),
        from: origin(contender),
        library: None,
        state: String::new(),
    };
    match pinned.install(contender, beside) {
        Err(error) => found.state = absent(&error.to_string(), &contender.name),
        Ok(installed) => match identify(lab, &installed)? {
            Ok(Identity { version, library, .. }) => {
                found.state = state(contender, &version);
                (found.version, found.library) = (Some(version), Some(library));
            }
            Err(failure) => found.state = failure.line(),
        },
    }
    Ok(found)
}

/// The row already has the name.
fn absent(error: &str, name: &str) -> String {
    let rest = error.strip_prefix(name).unwrap_or(error);
    rest.trim_start_matches(" is ").trim_start_matches(": ").to_string()
}

fn origin(contender: &Contender) -> String {
    match (&contender.source, &contender.package) {
        (Some(source), _) => format!("crate {} {}", source.package, short(&source.version)),
        (None, Some(package)) => format!("package {package}"),
        (None, None) if contender.beside => "heapsmith".to_string(),
        (None, None) => "no preload".to_string(),
    }
}

/// The version without its build metadata.
fn short(version: &str) -> &str {
    version.split('+').next().unwrap_or(version)
}

fn state(contender: &Contender, version: &str) -> String {
    match &contender.pinned {
        Some(pinned) if pinned != version => format!("loads, but {pinned} is the pinned version"),
        _ => LOADS.to_string(),
    }
}

/// Two lines for each: it fits a terminal of 80 columns.
pub fn table(all: &[Found]) -> Table {
    let mut table = new_table();
    table.set_header(["allocator", "library"]);
    for Found { name, about, version, library, state, .. } in all {
        let named = format!("{name}\n{}", version.as_deref().unwrap_or("-"));
        let mut lines = vec![about.clone()];
        lines.extend(library.as_deref().map(at_home));
        if library.is_none() || state != LOADS {
            lines.push(state.clone());
        }
        table.add_row([named, lines.join("\n")]);
    }
    table
}

/// A path with the home folder as `~`.
pub fn at_home(path: &Path) -> String {
    let below = std::env::var_os("HOME").and_then(|home| path.strip_prefix(home).ok());
    below.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display()))
}

#[cfg(test)]
mod tests {
    //! How a row words what is not there.
    use super::*;

    #[test]
    fn an_absent_contender_is_not_named_twice() {
        assert_eq!(
            absent("rpmalloc is not installed: heapsmith peers install rpmalloc", "rpmalloc"),
            "not installed: heapsmith peers install rpmalloc"
        );
        assert_eq!(absent("heapsmith: no x.so", "heapsmith"), "no x.so");
    }

    #[test]
    fn the_home_folder_is_abbreviated() {
        let home = std::env::var("HOME").expect("tests run in a session");
        assert_eq!(at_home(&Path::new(&home).join("a/b")), "~/a/b");
        assert_eq!(at_home(Path::new("/usr/lib/x.so")), "/usr/lib/x.so");
    }
}
