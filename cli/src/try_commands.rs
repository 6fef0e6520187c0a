//! The commands that `heapsmith try` measures, and the names they have in results.

use std::ffi::OsString;

use anyhow::Result;
use heapsmith_measure::error::usage;
use heapsmith_measure::program::Program;

use crate::try_args::TryArgs;

/// Words that mean something to a shell only.
const OF_A_SHELL: [&str; 12] =
    ["|", "||", "&&", "&", ";", ">", ">>", "<", "<<", "2>", "2>&1", ">&2"];

/// One command to measure.
pub struct Subject {
    /// Its workload in results.
    pub name: String,
    pub program: Program,
}

/// The commands of one call, each found and shown to be one that a preload can reach.
pub fn subjects(args: &TryArgs) -> Result<Vec<Subject>> {
    let mut programs = Vec::new();
    if args.program.is_empty() {
        for command in &args.commands {
            programs.push(find(command, args)?);
        }
    } else {
        programs.push(Program::find(&args.program)?);
    }
    for program in &programs {
        program.require_preloadable()?;
    }
    let names = names(&programs, &args.name)?;
    let named = names.into_iter().zip(programs);
    Ok(named.map(|(name, program)| Subject { name, program }).collect())
}

fn find(command: &str, args: &TryArgs) -> Result<Program> {
    if args.shell {
        return Program::find(&["sh", "-c", command].map(OsString::from));
    }
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
    let several = args.commands.len() > 1;
    Program::find(&argv).map_err(|error| match several {
        true => usage(format!(
            "{error}. Each word is a command of its own; to give one program its arguments, \
             write -- before it"
        )),
        false => error,
    })
}

/// The given names in order, then each program's own. Names differ.
fn names(programs: &[Program], given: &[String]) -> Result<Vec<String>> {
    if given.len() > programs.len() {
        let surplus = &given[programs.len()];
        return Err(usage(format!("-n {surplus}: there is no command left to name")));
    }
    let own: Vec<String> = programs.iter().map(Program::short_name).collect();
    let is_shared = |name: &String| own.iter().filter(|other| *other == name).count() > 1;
    let mut names = given.to_vec();
    for (program, name) in programs.iter().zip(&own).skip(given.len()) {
        names.push(if is_shared(name) { program.command_line() } else { name.clone() });
    }
    match (1..names.len()).find(|index| names[..*index].contains(&names[*index])) {
        None => Ok(names),
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
        assert!(refusal(&["sh -c 'exit"]).contains("not closed"));
        assert!(refusal(&["true | cat"]).contains("--shell"));
        assert!(refusal(&["true", "no-such-program-here"]).contains("write -- before it"));
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
