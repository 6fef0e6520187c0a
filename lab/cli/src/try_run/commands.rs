//! The commands that `heapsmith try` measures, and the names they have in results.

use std::ffi::OsString;

use anyhow::Result;
use heapsmith_measure::error::usage;
use heapsmith_measure::program::{Program, quote};

use crate::args::try_::TryArgs;

/// Words that mean something to a shell only.
const OF_A_SHELL: [&str; 12] =
    ["|", "||", "&&", "&", ";", ">", ">>", "<", "<<", "2>", "2>&1", ">&2"];

/// One command to measure.
pub struct Subject {
    /// Its workload in results.
    pub name: String,
    /// As the user would type it.
    pub text: String,
    pub program: Program,
}

/// The commands of one call, each found and shown to be one that a preload can reach.
pub fn subjects(args: &TryArgs) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for command in &args.commands {
        subjects.push(if args.shell { of_shell(command)? } else { of_words(command, args)? });
    }
    if !args.program.is_empty() {
        subjects.push(of_program(Program::find(&args.program)?));
    }
    for subject in &subjects {
        subject.program.require_preloadable()?;
    }
    rename(&mut subjects, &args.name)?;
    Ok(subjects)
}

/// The command called `workload`, as a shell takes it. Its program need not be on this machine.
pub fn command_line(args: &TryArgs, workload: &str) -> Option<String> {
    if !args.program.is_empty() {
        return Some(quote(&args.program));
    }
    let lines: Vec<String> = args.commands.iter().filter_map(|one| in_words(one, args)).collect();
    if let [only] = &lines[..] {
        return Some(only.clone());
    }
    let by_name = args.name.iter().position(|name| name == workload);
    if let Some(found) = by_name.and_then(|index| lines.get(index)) {
        return Some(found.clone());
    }
    let unnamed = lines.iter().zip(&args.commands).skip(args.name.len());
    let is_it = |line: &str, command: &str| {
        let program = line.split(' ').next().and_then(|path| path.rsplit('/').next());
        [Some(line), Some(command), program].contains(&Some(workload))
    };
    let found = unnamed.into_iter().find(|(line, command)| is_it(line, command));
    found.map(|(line, _)| line.clone())
}

/// The words that a COMMAND stands for, quoted.
fn in_words(command: &str, args: &TryArgs) -> Option<String> {
    if args.shell {
        return Some(quote(&["sh", "-c", command].map(OsString::from)));
    }
    let words: Vec<OsString> = shlex::split(command)?.into_iter().map(OsString::from).collect();
    Some(quote(&words))
}

fn of_program(program: Program) -> Subject {
    Subject { name: program.short_name(), text: program.command_line(), program }
}

fn of_shell(command: &str) -> Result<Subject> {
    let (name, text) = (command.to_string(), command.to_string());
    Ok(Subject { name, text, program: Program::shell(command)? })
}

fn of_words(command: &str, args: &TryArgs) -> Result<Subject> {
    let Some(words) = shlex::split(command) else {
        return Err(usage(format!("{command}: a quote in this command is not closed")));
    };
    if let Some(word) = words.iter().find(|word| OF_A_SHELL.contains(&word.as_str())) {
        return Err(usage(format!(
            "{command}: only a shell understands '{word}': add --shell to run the command \
             through sh"
        )));
    }
    let argv: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    match Program::find(&argv) {
        Ok(program) => Ok(of_program(program)),
        Err(error) if args.commands.len() > 1 => Err(usage(format!(
            "{error}. Each word is a command of its own; to give one program its arguments, \
             write -- before it"
        ))),
        Err(error) => Err(error),
    }
}

/// Gives the commands the names in order. Further ones are called like their programs, or in full
/// where programs are the same. All names differ.
fn rename(subjects: &mut [Subject], given: &[String]) -> Result<()> {
    if let Some(surplus) = given.get(subjects.len()) {
        return Err(usage(format!("-n {surplus}: there is no command left to name")));
    }
    let own: Vec<String> = subjects.iter().map(|subject| subject.name.clone()).collect();
    for (index, subject) in subjects.iter_mut().enumerate() {
        let is_shared = own.iter().filter(|name| **name == subject.name).count() > 1;
        match given.get(index) {
            Some(name) => subject.name = name.clone(),
            None if is_shared => subject.name = subject.text.clone(),
            None => {}
        }
    }
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
    match (1..names.len()).find(|index| names[..*index].contains(&names[*index])) {
        None => Ok(()),
        Some(index) => Err(usage(format!(
            "two commands are called '{}': give each a name with -n NAME",
            names[index]
        ))),
    }
}

#[cfg(test)]
mod tests {
    //! Splitting and naming.
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn of(words: &[&str]) -> Result<Vec<Subject>> {
        let cli = Cli::parse_from(["heapsmith", "try"].iter().chain(words));
        let Command::Try(args) = cli.command else { panic!("not try") };
        subjects(&args)
    }

    fn refusal(words: &[&str]) -> String {
        of(words).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn commands_are_split_as_a_shell_splits_them() {
        let found = of(&["sh -c 'exit 0' \"a b\""]).expect("right");
        assert_eq!(found[0].program.argv, ["sh", "-c", "exit 0", "a b"]);
        assert_eq!(found[0].name, "sh");
        let through = of(&["--shell", "true | cat"]).expect("right");
        assert_eq!(through[0].program.argv, ["sh", "-c", "true | cat"]);
        assert_eq!(through[0].name, "true | cat");
        assert!(refusal(&["sh -c 'exit"]).contains("not closed"));
        assert!(refusal(&["true | cat"]).contains("--shell"));
        assert!(refusal(&["true", "no-such-program-here"]).contains("write -- before it"));
    }

    #[test]
    fn a_command_is_found_again_in_the_call_that_measured_it() {
        let line = |words: &[&str], workload: &str| {
            let cli = Cli::parse_from(["heapsmith", "try"].iter().chain(words));
            let Command::Try(args) = cli.command else { panic!("not try") };
            command_line(&args, workload)
        };
        let found = |text: &str| Some(text.to_string());
        assert_eq!(line(&["sort big"], "sort"), found("sort big"));
        let prepared = ["--prepare", "git clean -- x", "--", "./app", "a b"];
        assert_eq!(line(&prepared, "app"), found("./app 'a b'"));
        assert_eq!(line(&["--shell", "zcat a | ./app"], "x"), found("sh -c 'zcat a | ./app'"));
        let several = ["-n", "small", "./app a", "./app b", "/bin/sort big"];
        assert_eq!(line(&several, "small"), found("./app a"));
        assert_eq!(line(&several, "./app b"), found("./app b"));
        assert_eq!(line(&several, "sort"), found("/bin/sort big"));
        assert_eq!(line(&several, "cat"), None);
    }

    #[test]
    fn commands_are_named_by_the_user_or_by_their_programs() {
        let names = |words: &[&str]| -> Vec<String> {
            of(words).expect("right").into_iter().map(|subject| subject.name).collect()
        };
        assert_eq!(names(&["true", "cat"]), ["true", "cat"]);
        assert_eq!(names(&["cat a", "cat b"]), ["cat a", "cat b"]);
        assert_eq!(names(&["-n", "first", "cat a", "cat b"]), ["first", "cat b"]);
        assert_eq!(names(&["-n", "x", "--", "cat", "a"]), ["x"]);
        assert!(refusal(&["-n", "x", "-n", "y", "cat"]).contains("-n y"));
        assert!(refusal(&["cat", "cat"]).contains("give each a name"));
    }
}
