//! A pattern: the settings of the program `pattern` that differ from their simplest values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A setting of the program. lab/workloads/README.md describes them.
pub struct Knob {
    pub name: &'static str,
    pub simplest: &'static str,
}

const fn knob(name: &'static str, simplest: &'static str) -> Knob {
    Knob { name, simplest }
}

/// In the order in which shrinking tries to do without them.
pub const KNOBS: [Knob; 24] = [
    knob("trickle", "0"),
    knob("aligned", "0"),
    knob("alignment", "64"),
    knob("calloc", "0"),
    knob("realloc", "0"),
    knob("resizing", "redrawn"),
    knob("cross", "0"),
    knob("rotate", "0"),
    knob("renew", "0"),
    knob("pause-ms", "0"),
    knob("keep", "0"),
    knob("next-smallest", "0"),
    knob("next-largest", "0"),
    knob("phases", "1"),
    knob("sweep", "forward"),
    knob("touch", "ends"),
    knob("spread", "log"),
    knob("order", "stack"),
    knob("burst", "1"),
    knob("threads", "1"),
    knob("smallest", "64"),
    knob("largest", "64"),
    knob("slots", "1000"),
    knob("calls", "100000"),
];

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pattern(BTreeMap<String, String>);

impl Pattern {
    /// Reads `NAME=VALUE NAME=VALUE …`. The program refuses values that it does not know.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pattern = Self::default();
        for word in text.split_whitespace() {
            let known = |name: &str| KNOBS.iter().any(|knob| knob.name == name);
            match word.split_once('=') {
                Some((name, value)) if known(name) => pattern.set(name, value),
                _ => return Err(format!("'{word}' is not a setting of lab/pattern")),
            }
        }
        Ok(pattern)
    }

    /// The value of a setting: a word, or a number in digits.
    pub fn word(&self, name: &str) -> &str {
        let simplest = || KNOBS.iter().find(|knob| knob.name == name).map_or("0", |it| it.simplest);
        self.0.get(name).map_or_else(simplest, String::as_str)
    }

    /// The value of a setting that is a number; 0 for a word.
    pub fn number(&self, name: &str) -> u64 {
        self.word(name).parse().unwrap_or(0)
    }

    pub fn is_simplest(&self, name: &str) -> bool {
        !self.0.contains_key(name)
    }

    /// The number of settings that it has.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn set(&mut self, name: &str, value: impl ToString) {
        let value = value.to_string();
        if KNOBS.iter().any(|knob| knob.name == name && knob.simplest == value) {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_string(), value);
        }
    }

    /// Takes the value that this setting has in `other`.
    pub fn take(&mut self, name: &str, other: &Self) {
        match other.0.get(name) {
            Some(value) => self.0.insert(name.to_string(), value.clone()),
            None => self.0.remove(name),
        };
    }

    /// The settings that are not the simplest ones, without amounts, and the value of each word.
    fn features(&self) -> Vec<(&str, &str)> {
        let amounts = ["slots", "calls", "smallest", "largest", "next-smallest", "next-largest"];
        let named = self.0.iter().filter(|(name, _)| !amounts.contains(&name.as_str()));
        let is_number = |value: &str| value.parse::<u64>().is_ok();
        named
            .map(|(name, value)| (name.as_str(), if is_number(value) { "" } else { value }))
            .collect()
    }

    /// Whether it is the same kind of pattern, with sizes of the same order.
    pub fn is_like(&self, other: &Self) -> bool {
        let near = |name: &str| {
            let (one, two) = (self.number(name).max(1), other.number(name).max(1));
            one.max(two) / one.min(two) < 8
        };
        self.features() == other.features() && near("smallest") && near("largest")
    }

    /// The words of the command line, without the number of threads if `threads` is false.
    pub fn arguments(&self, threads: bool) -> Vec<String> {
        let wanted = self.0.iter().filter(|(name, _)| threads || *name != "threads");
        wanted.flat_map(|(name, value)| [format!("--{name}"), value.clone()]).collect()
    }

    /// As few words as tell it.
    pub fn label(&self) -> String {
        let words: Vec<String> =
            self.0.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if words.is_empty() { "the simplest pattern".to_string() } else { words.join(" ") }
    }

    /// A workload of lab/workloads/suite.toml.
    pub fn manifest_lines(&self, name: &str, about: &str) -> String {
        let quoted = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            words.join(", ")
        };
        let whole = self.arguments(false);
        let quick: Vec<String> =
            whole.iter().cloned().chain(["--scale".to_string(), "0.2".to_string()]).collect();
        format!(
            "[[workload]]\nnames = [\"pattern\"]\nprogram = \"lab/pattern\"\n\
             params = {{ drawn = \"{name}\" }}\nthreads = [{0}]\nrests = [{0}]\narguments = [{1}]\n\
             quick_arguments = [{2}]\nabout = \"{about}\"\n",
            self.word("threads"),
            quoted(&whole),
            quoted(&quick),
        )
    }
}

#[cfg(test)]
mod tests {
    //! The settings of a pattern, and how they are written.
    use super::*;

    #[test]
    fn the_simplest_values_are_not_kept() {
        let mut pattern = Pattern::default();
        pattern.set("slots", 1000);
        pattern.set("order", "random");
        assert_eq!(pattern.label(), "order=random");
        assert_eq!((pattern.number("slots"), pattern.word("order")), (1000, "random"));
        pattern.set("order", "stack");
        assert!(pattern.is_simplest("order"));
    }

    #[test]
    fn a_label_is_read_again() {
        let text = "burst=64 order=random";
        assert_eq!(Pattern::parse(text).expect("known").label(), text);
        assert!(Pattern::parse("bursts=64").is_err() && Pattern::parse("burst").is_err());
    }

    #[test]
    fn patterns_are_alike_if_amounts_differ_but_not_the_order_of_sizes() {
        let pattern = |text: &str| Pattern::parse(text).expect("known");
        let known = pattern("order=random slots=10 largest=100");
        assert!(known.is_like(&pattern("order=random slots=5000 largest=300")));
        assert!(!known.is_like(&pattern("order=random slots=10 largest=9000")));
        assert!(!known.is_like(&pattern("order=queue slots=10 largest=100")));
    }

    #[test]
    fn a_row_of_the_suite_has_the_threads_apart() {
        let mut pattern = Pattern::default();
        pattern.set("threads", 2);
        pattern.set("burst", 64);
        let lines = pattern.manifest_lines("7.3", "×2");
        assert!(
            lines.contains("threads = [2]\nrests = [2]\narguments = [\"--burst\", \"64\"]\n"),
            "{lines}"
        );
        assert!(lines.contains("\"--scale\", \"0.2\"]\nabout = \"×2\"\n"), "{lines}");
    }
}
