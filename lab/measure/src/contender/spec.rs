//! The allocators of `--alloc`: NAME, a library's path, or NAME=LIBRARY;VARIABLE=VALUE;…

use std::fmt::{self, Display};
use std::path::PathBuf;

use anyhow::Result;

use super::{AS_BUILT, GLIBC, Pinned};
use crate::error::usage;

/// One allocator that the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name in results, if the user gives it one.
    pub name: Option<String>,
    pub allocator: Allocator,
    pub settings: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// A contender of lab/contenders.toml, or a family of them.
    Named(String),
    Library(PathBuf),
}

/// As `--alloc` takes it.
impl Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut text = self.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
        text += &match &self.allocator {
            Allocator::Named(name) => name.clone(),
            Allocator::Library(path) => path.display().to_string(),
        };
        for (variable, value) in &self.settings {
            text += &format!(";{variable}={value}");
        }
        f.write_str(&text.replace(',', r"\,"))
    }
}

impl Pinned {
    /// Reads the value of one `--alloc`. Allocators are separated by commas. A comma belongs to a
    /// setting's value if `\,` stands there or if KEY:VALUE follows, as in jemalloc's MALLOC_CONF.
    pub fn parse_spec(&self, text: &str) -> Result<Vec<Wanted>> {
        split(text).iter().map(|entry| self.parse_entry(entry)).collect()
    }

    fn parse_entry(&self, entry: &str) -> Result<Wanted> {
        let mut parts = entry.split(';');
        let allocator = parts.next().unwrap_or_default();
        let (name, library) = match allocator.split_once('=') {
            Some((name, library)) if !name.contains('/') => (Some(name), library),
            _ => (None, allocator),
        };
        if let Some(name) = name {
            require_name(name, entry)?;
        }
        if library.is_empty() {
            return Err(usage(format!("--alloc '{entry}' names no allocator")));
        }
        let allocator = if library.contains('/') {
            Allocator::Library(from_home(library))
        } else {
            self.meant(library).map_err(|error| hint_at_comma(error, library))?;
            Allocator::Named(library.to_string())
        };
        let settings = parse_settings(entry, parts)?;
        let reserved = matches!(name, Some(AS_BUILT | GLIBC)) && name != Some(library);
        if let (Some(name), true) = (name, reserved) {
            return Err(usage(format!(
                "--alloc '{entry}': '{name}' is a baseline: choose another name"
            )));
        }
        Ok(Wanted { name: name.map(str::to_string), allocator, settings })
    }
}

/// The entries of a list, each with `\,` replaced by a comma.
fn split(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let last = pieces.last_mut().expect("never empty");
        match next {
            '\\' if rest.peek() == Some(&',') => last.extend(rest.next()),
            ',' => pieces.push(String::new()),
            other => last.push(other),
        }
    }
    let mut entries: Vec<String> = Vec::new();
    for piece in pieces {
        let plain = piece.split(['=', '/', ';']).next().unwrap_or_default();
        match entries.last_mut() {
            // No allocator has a colon in its name, and no library that can be preloaded has one.
            Some(entry) if entry.contains(';') && plain.contains(':') => {
                entry.push(',');
                entry.push_str(&piece);
            }
            _ => entries.push(piece),
        }
    }
    entries
}

fn hint_at_comma(error: anyhow::Error, library: &str) -> anyhow::Error {
    let file = library.ends_with(".so") || library.contains(".so.");
    if file {
        usage(format!("{library}: write a library's path with a slash: ./{library}"))
    } else {
        error
    }
}

/// A shell leaves the `~` of NAME=~/lib.so alone.
fn from_home(library: &str) -> PathBuf {
    match (library.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(below), Some(home)) => PathBuf::from(home).join(below),
        _ => PathBuf::from(library),
    }
}

fn require_name(name: &str, entry: &str) -> Result<()> {
    let fits = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
    if name.is_empty() || !name.chars().all(fits) {
        return Err(usage(format!(
            "--alloc '{entry}': the name '{name}' may have letters, digits and - _ . + only"
        )));
    }
    Ok(())
}

fn parse_settings<'a>(
    entry: &str,
    parts: impl Iterator<Item = &'a str>,
) -> Result<Vec<(String, String)>> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let wrong = |why: String| usage(format!("--alloc '{entry}': {why}"));
    for part in parts.filter(|part| !part.is_empty()) {
        let Some((variable, value)) = part.split_once('=') else {
            return Err(wrong(format!("the setting '{part}' is not VARIABLE=VALUE")));
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if variable.is_empty() || !variable.chars().all(fits) {
            return Err(wrong(format!("'{variable}' is not the name of a variable")));
        }
        if variable == "LD_PRELOAD" || variable.starts_with("HEAPSMITH_PROBE_") {
            return Err(wrong(format!("heapsmith sets {variable} itself")));
        }
        if settings.iter().any(|(other, _)| other == variable) {
            return Err(wrong(format!("{variable} is set twice")));
        }
        settings.push((variable.to_string(), value.to_string()));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    //! What one `--alloc` may say, and the one line that refuses anything else.
    use super::*;

    fn parse(text: &str) -> Result<Vec<Wanted>> {
        Pinned::load().expect("lab/contenders.toml is good").parse_spec(text)
    }

    fn refused(text: &str) -> String {
        let error = parse(text).expect_err(text);
        assert_eq!(crate::error::exit_code(&error), crate::error::USAGE, "{error}");
        error.to_string()
    }

    fn named(name: &str) -> Allocator {
        Allocator::Named(name.to_string())
    }

    #[test]
    fn names_paths_and_named_libraries_mix() {
        let all = parse("jemalloc,mimalloc,/path/lib.so,mine=/path.so,tuned=glibc;A=1;B=x=y")
            .expect("good");
        assert_eq!(all.len(), 5);
        assert_eq!(all[0].allocator, named("jemalloc"));
        assert_eq!(all[2].allocator, Allocator::Library("/path/lib.so".into()));
        assert_eq!(all[2].name, None);
        assert_eq!(all[3].name.as_deref(), Some("mine"));
        let settings = [("A", "1"), ("B", "x=y")].map(|(a, b)| (a.to_string(), b.to_string()));
        assert_eq!((all[4].name.as_deref(), &all[4].settings[..]), (Some("tuned"), &settings[..]));
    }

    #[test]
    fn a_comma_may_belong_to_a_setting() {
        for text in [
            "a=jemalloc;MALLOC_CONF=narenas:1,tcache:false,mimalloc",
            r"a=jemalloc;MALLOC_CONF=narenas:1\,tcache:false,mimalloc",
        ] {
            let all = parse(text).expect("good");
            assert_eq!(all[0].settings[0].1, "narenas:1,tcache:false");
            assert_eq!((all.len(), &all[1].allocator), (2, &named("mimalloc")));
        }
        let all = parse(r"a=glibc;X=1\,2;Y=").expect("good");
        assert_eq!(all[0].settings[0].1, "1,2");
        assert_eq!(all[0].settings[1].1, "");
    }

    #[test]
    fn mistakes_are_named() {
        assert!(refused("jemaloc").contains("did you mean 'jemalloc'"));
        assert!(refused("mine=jemaloc").contains("did you mean 'jemalloc'"));
        assert!(refused("lib.so").contains("./lib.so"));
        assert!(refused("").contains("names no allocator"));
        assert!(refused("jemalloc,").contains("names no allocator"));
        assert!(refused("mine=").contains("names no allocator"));
        assert!(refused("as-built=/x.so").contains("is a baseline"));
        assert!(refused("a b=glibc").contains("'a b'"));
        assert!(refused("a=glibc;X").contains("'X' is not VARIABLE=VALUE"));
        assert!(refused("a=glibc;X-Y=1").contains("'X-Y'"));
        assert!(refused("a=glibc;X=1;X=2").contains("X is set twice"));
        assert!(refused("a=glibc;LD_PRELOAD=/x.so").contains("LD_PRELOAD"));
    }

    #[test]
    fn an_allocator_is_written_as_it_was_asked_for() {
        for text in ["jemalloc", "/my/lib.so", "jemalloc=/my/lib.so", r"a=glibc;A=1\,2;B=x=y"] {
            let all = parse(text).expect("good");
            assert_eq!((all.len(), all[0].to_string().as_str()), (1, text));
        }
    }

    #[test]
    fn a_home_folder_is_found_behind_a_name() {
        let home = std::env::var("HOME").expect("tests run in a session");
        let all = parse("mine=~/lib.so").expect("good");
        assert_eq!(all[0].allocator, Allocator::Library(PathBuf::from(home).join("lib.so")));
    }
}
