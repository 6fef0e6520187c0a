//! The programs and allocators, from cases.toml, and the allocator that is the baseline.

use anyhow::{Context, Result};
use serde::Deserialize;

/// The contender that all others are compared with.
pub const BASELINE: &str = "glibc";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    pub allocators: Vec<String>,
    pub case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub command: Vec<String>,
    #[serde(default)]
    pub controls: bool,
}

impl Cases {
    pub fn load() -> Result<Self> {
        toml::from_str(include_str!("../cases.toml")).context("cases.toml")
    }
}

#[cfg(test)]
mod tests {
    //! The file itself.
    use super::*;

    #[test]
    fn there_are_enough_programs_and_allocators() {
        let cases = Cases::load().expect("sound");
        assert!(cases.case.len() >= 12 && cases.allocators.len() >= 8);
        assert!(cases.case.iter().any(|case| case.controls));
        assert!(cases.case.iter().all(|case| !case.command.is_empty()));
    }
}
