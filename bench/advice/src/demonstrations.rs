//! The programs of `lab/workloads/advice`, and what has to be said of each.

use std::ffi::OsString;
use std::path::Path;

use heapsmith_measure::stats::Estimate;
use serde_json::Value;

use crate::measured::Pair;

/// The right thing to say of a program.
pub enum Right {
    /// This change, at the file of that name.
    Change(&'static str, &'static str),
    /// Another malloc.
    Malloc,
    /// None of these changes.
    Never(&'static [&'static str]),
    /// No other malloc.
    NoMalloc,
    Nothing,
}

pub struct Demonstration {
    pub name: &'static str,
    pub right: Right,
}

const fn demonstration(name: &'static str, right: Right) -> Demonstration {
    Demonstration { name, right }
}

pub const DEMONSTRATIONS: [Demonstration; 15] = [
    demonstration("buffer", Right::Change("stack-buffer", "buffer.cpp")),
    demonstration("buffer-kept", Right::Never(&["stack-buffer", "reused-buffer"])),
    demonstration("scope", Right::Change("scope", "scope.cpp")),
    demonstration("scope-queue", Right::Never(&["scope", "arena"])),
    demonstration("arena", Right::Change("arena", "arena.cpp")),
    demonstration("arena-kept", Right::Never(&["scope", "arena"])),
    demonstration("heap", Right::Change("heap", "heap.cpp")),
    demonstration("heap-kept", Right::Never(&["scope", "arena", "heap"])),
    demonstration("reserve", Right::Change("reserve", "reserve.cpp")),
    demonstration("reserve-short", Right::Never(&["reserve"])),
    demonstration("pool", Right::Change("pool", "pool.cpp")),
    demonstration("pool-sizes", Right::Never(&["pool", "shared-pool"])),
    demonstration("malloc", Right::Malloc),
    demonstration("malloc-idle", Right::NoMalloc),
    demonstration("none", Right::Nothing),
];

pub fn pieces(advice: &Value) -> impl Iterator<Item = &Value> {
    advice["pieces"].as_array().into_iter().flatten()
}

pub fn mallocs(advice: &Value) -> impl Iterator<Item = &Value> {
    advice["mallocs"].as_array().into_iter().flatten()
}

/// A malloc that saves time: memory is another question.
pub fn saves_time(malloc: &&Value) -> bool {
    malloc["gain"]["time"]["low"].as_f64().is_some_and(|low| low > 0.0)
}

pub fn is_at(piece: &Value, change: &str, file: &str) -> bool {
    piece["change"] == change
        && piece["places"].as_array().is_some_and(|all| all.iter().any(|it| it["file"] == file))
}

pub fn time(gain: &Value) -> Option<Estimate> {
    let number = |name: &str| gain["time"][name].as_f64();
    let (median, low, high) = (number("median")?, number("low")?, number("high")?);
    Some(Estimate { n: 0, median, low, high })
}

impl Demonstration {
    /// The program of a build, at a size.
    pub fn pair(&self, build: &Path, scale: f64) -> Pair {
        let program = build.join("lab").join(format!("advice-{}", self.name));
        let words = |more: &[&str]| {
            let scale = ["--scale".to_string(), scale.to_string()];
            let options = scale.iter().map(OsString::from).chain(more.iter().map(OsString::from));
            std::iter::once(program.clone().into()).chain(options).collect::<Vec<OsString>>()
        };
        let is_malloc = matches!(self.right, Right::Malloc);
        Pair { as_is: words(&[]), advised: (!is_malloc).then(|| words(&["--advised", "1"])) }
    }

    /// The things that were said, and whether that is a fault.
    pub fn judge(&self, advice: &Value) -> (String, bool) {
        let said: Vec<String> = pieces(advice)
            .map(|it| it["change"].as_str().unwrap_or("?").to_string())
            .chain(mallocs(advice).map(|it| it["name"].as_str().unwrap_or("?").to_string()))
            .collect();
        let given = if said.is_empty() { "nothing".to_string() } else { said.join(", ") };
        let fault = match self.right {
            Right::Change(change, file) => !pieces(advice).any(|it| is_at(it, change, file)),
            Right::Malloc => !mallocs(advice).any(|it| saves_time(&it)),
            Right::Never(changes) => {
                pieces(advice).any(|it| changes.iter().any(|change| it["change"] == *change))
            }
            Right::NoMalloc => mallocs(advice).any(|it| saves_time(&it)),
            Right::Nothing => {
                pieces(advice).next().is_some() || mallocs(advice).any(|it| saves_time(&it))
            }
        };
        (given, fault)
    }

    /// The share of the time that the right advice promises to save.
    pub fn promised(&self, advice: &Value) -> Option<Estimate> {
        match self.right {
            Right::Change(change, file) => {
                pieces(advice).find(|it| is_at(it, change, file)).and_then(|it| time(&it["gain"]))
            }
            Right::Malloc => mallocs(advice).find(saves_time).and_then(|it| time(&it["gain"])),
            _ => None,
        }
    }

    /// The malloc that the promise is about.
    pub fn malloc<'a>(&self, advice: &'a Value) -> Option<&'a Value> {
        mallocs(advice).find(saves_time).filter(|_| matches!(self.right, Right::Malloc))
    }
}
