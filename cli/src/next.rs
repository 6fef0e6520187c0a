//! The command worth running next, after what was just seen.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory};
use heapsmith_measure::contender::AS_BUILT;
use heapsmith_measure::program::quote;
use heapsmith_measure::record::Failed;
use heapsmith_measure::verdict::{Judgement, Kind};

use crate::args::Cli;

/// A longer call sees smaller differences; from here on nothing is gained.
const LONGER: [&str; 2] = ["--budget", "5m"];

/// `heapsmith try` as it was called: its options by name, and what it measures.
pub struct Again {
    options: Vec<(String, Vec<OsString>)>,
    measured: Vec<OsString>,
}

impl Again {
    pub fn of(matches: &ArgMatches) -> Self {
        let mut again = Self { options: Vec::new(), measured: Vec::new() };
        let Some(("try", given)) = matches.subcommand() else {
            return again;
        };
        let mut cli = Cli::command();
        cli.build();
        let Some(verb) = cli.find_subcommand("try") else {
            return again;
        };
        for argument in verb.get_arguments() {
            let id = argument.get_id().as_str();
            if given.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let words = words(argument, given);
            if !argument.is_positional() {
                again.options.push((id.to_string(), words));
            } else if argument.is_last_set() {
                again.measured = std::iter::once("--".into()).chain(words).collect();
            } else {
                again.measured = words;
            }
        }
        again
    }

    fn without(mut self, ids: &[&str]) -> Self {
        self.options.retain(|(id, _)| !ids.contains(&id.as_str()));
        self
    }

    fn with(mut self, words: &[&str]) -> Self {
        let words = words.iter().map(OsString::from).collect();
        self.options.insert(0, (String::new(), words));
        self
    }

    fn line(self) -> String {
        let start = ["heapsmith", "try"].map(OsString::from);
        let options = self.options.into_iter().flat_map(|(_, words)| words);
        quote(&start.into_iter().chain(options).chain(self.measured).collect::<Vec<_>>())
    }

    /// The line after "next:".
    pub fn after(self, judgement: &Judgement, failures: &[Failed]) -> String {
        if let Some(failed) = failures.first() {
            let alloc = format!("{AS_BUILT},{}", failed.failure.contender);
            let again = self.without(&["alloc", "show_output"]);
            return again.with(&["--show-output", "--alloc", &alloc]).line();
        }
        let longer = self.without(&["budget", "rounds", "quick"]).with(&LONGER);
        if let Some(advice) = &judgement.advice {
            let alone = longer.without(&["alloc"]).with(&["--alloc", &advice.contender]);
            return format!("{}   (its gain more precisely)", alone.line());
        }
        match judgement.kind {
            Kind::CannotTell => "heapsmith doctor   (shows what disturbs the rounds)".to_string(),
            _ => format!("{}   (more rounds see smaller differences)", longer.line()),
        }
    }
}

/// One option as it was given, with all its values.
fn words(argument: &Arg, given: &ArgMatches) -> Vec<OsString> {
    let id = argument.get_id().as_str();
    let long = argument.get_long().map(|long| OsString::from(format!("--{long}")));
    let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
    if is_flag {
        return long.into_iter().collect();
    }
    let mut words = Vec::new();
    for occurrence in given.get_raw_occurrences(id).into_iter().flatten() {
        words.extend(long.clone());
        let values = occurrence.map(OsString::from);
        match argument.get_value_delimiter() {
            None => words.extend(values),
            Some(delimiter) => {
                let values: Vec<OsString> = values.collect();
                words.push(values.join(OsString::from(delimiter.to_string()).as_os_str()));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    //! Options are repeated, and only those that a suggestion concerns are changed.
    use super::*;

    fn again(words: &[&str]) -> Again {
        let all = ["heapsmith", "try"].iter().chain(words);
        Again::of(&Cli::command().try_get_matches_from(all).expect("a right command line"))
    }

    #[test]
    fn a_call_is_repeated_with_all_its_options() {
        for call in [
            "heapsmith try --alloc glibc,heapsmith --prepare 'rm -f x' --name a --name b 'ls -l' ls",
            "heapsmith try --warmup 2 --show-output --ignore-failure -- ls -l --all 'a b'",
            "heapsmith try --json out.json --baseline glibc --input x ls",
        ] {
            let words = shlex::split(call).expect("words");
            let words: Vec<&str> = words.iter().skip(2).map(String::as_str).collect();
            let mut given: Vec<_> = shlex::split(&again(&words).line()).expect("words");
            let mut expected: Vec<_> = shlex::split(call).expect("words");
            given.sort();
            expected.sort();
            assert_eq!(given, expected);
        }
    }

    #[test]
    fn a_change_replaces_the_option_that_it_is_about() {
        let longer = again(&["--rounds", "7", "--input", "in", "--", "ls", "-l"]);
        let longer = longer.without(&["rounds"]).with(&LONGER).line();
        assert_eq!(longer, "heapsmith try --budget 5m --input in -- ls -l");
    }
}
