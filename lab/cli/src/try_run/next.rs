//! The command worth running next, after what was just seen.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory};
use heapsmith_measure::program::quote;
use heapsmith_measure::record::Failed;
use heapsmith_measure::verdict::{Judgement, Kind};

use crate::args::Cli;
use crate::try_run::pace::Further;

/// `heapsmith try` as it was called: its options by name, and what it measures.
pub struct Again {
    /// The name of the command, as a shell finds it.
    command: OsString,
    options: Vec<(String, Vec<OsString>)>,
    measured: Vec<OsString>,
    /// The file on stdin.
    redirected: Option<PathBuf>,
}

impl Again {
    pub fn of(matches: &ArgMatches, redirected: Option<PathBuf>) -> Self {
        let command = "heapsmith".into();
        let mut again = Self { command, options: Vec::new(), measured: Vec::new(), redirected };
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

    /// With the command called by this name.
    pub fn called(self, command: OsString) -> Self {
        Self { command, ..self }
    }

    fn without(mut self, ids: &[&str]) -> Self {
        self.options.retain(|(id, _)| !ids.contains(&id.as_str()));
        self
    }

    /// Without the results that --show-output would mix with the program's output.
    fn without_results_on_stdout(mut self) -> Self {
        const RESULTS: [&str; 4] = ["json", "export_csv", "export_markdown", "report"];
        let goes_there =
            |words: &[OsString]| words.iter().any(|it| it == "-" || it == "/dev/stdout");
        self.options.retain(|(id, words)| !RESULTS.contains(&id.as_str()) || !goes_there(words));
        self
    }

    /// With the command number `index` of several alone, under the name that it was given.
    fn only(mut self, index: usize) -> Self {
        if self.measured.len() > 1 && self.measured[0] != "--" {
            self.measured = self.measured.get(index).cloned().into_iter().collect();
            if let Some((_, words)) = self.options.iter_mut().find(|(id, _)| id == "name") {
                // An option and its value for each command that has a name.
                *words = words.chunks(2).nth(index).unwrap_or_default().to_vec();
            }
        }
        self
    }

    fn with(mut self, words: &[impl AsRef<str>]) -> Self {
        let words = words.iter().map(|word| OsString::from(word.as_ref())).collect();
        self.options.insert(0, (String::new(), words));
        self
    }

    fn line(self) -> String {
        let start = [self.command, "try".into()];
        let options = self.options.into_iter().flat_map(|(_, words)| words);
        let line =
            quote(&start.into_iter().chain(options).chain(self.measured).collect::<Vec<_>>());
        match self.redirected {
            Some(path) => format!("{line} <{}", quote(&[path.into()])),
            None => line,
        }
    }

    /// The line after "next:".
    pub fn after(self, end: &Finding) -> String {
        if let Some(failed) = end.failures.first() {
            let alloc = (end.spec)(&failed.failure.contender);
            let again = self.only(end.index_of(&failed.workload));
            let again = again.without(&["alloc", "show_output"]).without_results_on_stdout();
            return again.with(&["--show-output", "--alloc", &alloc]).line();
        }
        let timed = self.without(&["budget", "rounds", "quick"]);
        if let Some(enough) = &end.further.enough {
            let enough = timed.with(enough).line();
            return format!("{enough}   (enough rounds to compare)");
        }
        let longer = timed.with(&end.further.more);
        if let Some(advice) = &end.judgement.advice {
            let alone =
                longer.without(&["alloc"]).with(&["--alloc", &(end.spec)(&advice.contender)]);
            return format!("{}   (its gain more precisely)", alone.line());
        }
        match end.judgement.kind {
            Kind::CannotTell => {
                let command = quote(&[longer.command]);
                format!("{command} doctor   (shows what disturbs the rounds)")
            }
            _ => format!("{}   (more rounds see smaller differences)", longer.line()),
        }
    }
}

/// The grounds on which the next call is chosen.
pub struct Finding<'a> {
    pub judgement: &'a Judgement,
    pub failures: &'a [Failed],
    /// The names of the commands, in order.
    pub workloads: Vec<&'a str>,
    /// The value of --alloc that names a contender.
    pub spec: &'a dyn Fn(&str) -> String,
    pub further: Further,
}

impl Finding<'_> {
    fn index_of(&self, workload: &str) -> usize {
        self.workloads.iter().position(|name| *name == workload).unwrap_or(0)
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
        Again::of(&Cli::command().try_get_matches_from(all).expect("a right command line"), None)
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
        let longer = longer.without(&["rounds"]).with(&["--budget", "5m"]).line();
        assert_eq!(longer, "heapsmith try --budget 5m --input in -- ls -l");
    }

    #[test]
    fn of_several_commands_the_one_that_failed_is_repeated() {
        let of = |words: &[&str], index| again(words).only(index).line();
        let named = ["-n", "a", "-n", "b", "--rounds", "7", "false", "true", "ls -l"];
        assert_eq!(of(&named, 0), "heapsmith try --rounds 7 --name a false");
        assert_eq!(of(&named, 2), "heapsmith try --rounds 7 'ls -l'");
        assert_eq!(of(&["--", "ls", "-l"], 1), "heapsmith try -- ls -l");
    }

    #[test]
    fn a_command_that_is_not_installed_is_called_by_its_path() {
        let called = again(&["--", "ls"]).called("build/release/heapsmith".into());
        assert_eq!(called.line(), "build/release/heapsmith try -- ls");
    }

    #[test]
    fn a_redirection_is_repeated() {
        let mut redirected = again(&["--", "wc"]);
        redirected.redirected = Some("a file".into());
        assert_eq!(redirected.line(), "heapsmith try -- wc <'a file'");
    }
}
