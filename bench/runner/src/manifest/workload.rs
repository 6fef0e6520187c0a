//! The workloads of a manifest, and the cases that they have: one for each number of threads.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// `{list}` stands for each word of a list, in turn.
    pub names: Vec<String>,
    /// One line for people.
    pub about: Option<String>,
    /// In the folder of a build, or absolute. Only for processes.
    pub program: Option<String>,
    /// The numbers of threads, each a row. If empty, the program gets no `--threads`.
    #[serde(default, deserialize_with = "numbers_of_threads")]
    pub threads: Vec<u32>,
    quick_threads: Option<Vec<u32>>,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    quick_arguments: Vec<String>,
    /// Further parameters of the row.
    #[serde(default)]
    params: Map<String, Value>,
    /// The contenders that take part, if not all do.
    #[serde(default)]
    pub contenders: Vec<String>,
    /// Contenders that do not take part.
    #[serde(default)]
    pub except: Vec<String>,
    /// Every run gives the same values, so one round suffices.
    #[serde(default)]
    exact: bool,
    /// How often a process runs in each round. One that takes a millisecond is too short to time.
    #[serde(default = "once")]
    pub repeat: u32,
    /// All contenders must print the same check value.
    #[serde(default = "yes")]
    check: bool,
    /// The numbers of threads with which the program also runs with `--rest`, and then prints its
    /// resident set. A program that gets no `--threads` has one.
    #[serde(default)]
    pub rests: Vec<u32>,
    /// The commands that it needs, and the Debian packages that provide them.
    #[serde(default)]
    pub needs: BTreeMap<String, String>,
}

/// The most threads that the programs of the suites take.
const MOST_THREADS: u32 = 1000;

/// A list, or the word `cpus`.
fn numbers_of_threads<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Numbers(Vec<u32>),
        Word(String),
    }
    match Written::deserialize(from)? {
        Written::Numbers(numbers) => Ok(numbers),
        Written::Word(word) if word == "cpus" => {
            let cpus = std::thread::available_parallelism().map_or(1, usize::from);
            Ok(up_to_four_a_cpu(u32::try_from(cpus).unwrap_or(MOST_THREADS)))
        }
        Written::Word(word) => {
            Err(D::Error::custom(format!("threads: '{word}' is neither a list nor \"cpus\"")))
        }
    }
}

/// One thread, twice as many each time, as many as CPUs, and four times as many.
fn up_to_four_a_cpu(cpus: u32) -> Vec<u32> {
    let most = cpus.saturating_mul(4).min(MOST_THREADS);
    let doubled = (0..u32::BITS).map(|n| 1 << n).take_while(|count| *count < most);
    let mut counts: Vec<u32> = doubled.chain([cpus.min(most), most]).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn once() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// One workload with one number of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub workload: String,
    pub program: Option<String>,
    pub threads: Option<u32>,
    pub params: Map<String, Value>,
    /// The program's arguments after the workload and the threads.
    pub arguments: Vec<String>,
    /// The names of the contenders that take part.
    pub contenders: Vec<String>,
    pub exact: bool,
    pub repeat: u32,
    pub check: bool,
    pub rests: bool,
    /// The commands that it needs, and the Debian packages that provide them.
    pub needs: BTreeMap<String, String>,
}

impl Workload {
    pub fn cases(
        &self,
        lists: &BTreeMap<String, Vec<String>>,
        contenders: &[&str],
        quick: bool,
    ) -> Vec<Case> {
        let names = self.names.iter().flat_map(|name| expand(name, lists));
        let threads = match (&self.quick_threads, quick) {
            (Some(threads), true) => threads,
            _ => &self.threads,
        };
        let counts: Vec<Option<u32>> = if self.threads.is_empty() {
            vec![None]
        } else {
            threads.iter().map(|n| Some(*n)).collect()
        };
        names
            .flat_map(|name| counts.iter().map(move |n| (name.clone(), *n)).collect::<Vec<_>>())
            .map(|(name, threads)| self.case(name, threads, contenders, quick))
            .collect()
    }

    fn case(&self, workload: String, threads: Option<u32>, all: &[&str], quick: bool) -> Case {
        let listed = |name: &&&str| {
            self.contenders.is_empty() || self.contenders.iter().any(|one| one == **name)
        };
        let takes_part =
            |name: &&&str| listed(name) && !self.except.iter().any(|one| one == **name);
        let mut params = self.params.clone();
        params.extend(threads.map(|count| ("threads".to_string(), count.into())));
        let further = if quick { self.quick_arguments.as_slice() } else { &[] };
        Case {
            workload,
            program: self.program.clone(),
            threads,
            params,
            arguments: self.arguments.iter().chain(further).cloned().collect(),
            contenders: all.iter().filter(takes_part).map(ToString::to_string).collect(),
            exact: self.exact,
            repeat: self.repeat,
            check: self.check,
            rests: self.rests.contains(&threads.unwrap_or(1)),
            needs: self.needs.clone(),
        }
    }
}

impl Case {
    /// Whether it runs the same work, for whichever contenders.
    pub fn is_same_as(&self, other: &Self) -> bool {
        (&self.workload, self.threads, &self.arguments)
            == (&other.workload, other.threads, &other.arguments)
    }
}

/// The names a pattern stands for: `random-{size}` is one name for each word of the list `size`.
pub fn expand(pattern: &str, lists: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return vec![pattern.to_string()];
    };
    let Some((list, after)) = rest.split_once('}') else {
        return vec![pattern.to_string()];
    };
    let words = lists.get(list).map_or(&[][..], Vec::as_slice);
    words.iter().flat_map(|word| expand(&format!("{before}{word}{after}"), lists)).collect()
}

#[cfg(test)]
mod tests {
    use super::up_to_four_a_cpu;

    #[test]
    fn threads_go_up_to_four_for_each_cpu() {
        assert_eq!(up_to_four_a_cpu(1), [1, 2, 4]);
        assert_eq!(up_to_four_a_cpu(2), [1, 2, 4, 8]);
        assert_eq!(up_to_four_a_cpu(6), [1, 2, 4, 6, 8, 16, 24]);
        assert_eq!(up_to_four_a_cpu(16).last(), Some(&64));
        assert_eq!(up_to_four_a_cpu(384).last(), Some(&1000));
        assert_eq!(up_to_four_a_cpu(2000).last(), Some(&1000));
    }
}
