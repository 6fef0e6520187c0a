//! `heapsmith manual`: the man pages and the completions of shells, made from the definitions of
//! the command line. The build runs it, and `cmake --install` installs what it wrote.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use heapsmith_measure::error;

use crate::args::Cli;
use crate::args::manual::ManualArgs;

/// The shells, and where share has the completions of each.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/heapsmith"),
    (Shell::Zsh, "zsh/site-functions/_heapsmith"),
    (Shell::Fish, "fish/vendor_completions.d/heapsmith.fish"),
];

pub fn run(args: &ManualArgs) -> Result<u8> {
    for (shell, path) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut visible(Cli::command()), "heapsmith", &mut text);
        write(&args.folder.join(path), &text)?;
    }
    let mut root = visible(Cli::command()).disable_help_subcommand(true);
    root.build();
    man_pages(&root, "heapsmith", &args.folder.join("man/man1"))?;
    Ok(error::OK)
}

/// `command` without its hidden verbs, which the generators would show.
fn visible(command: Command) -> Command {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    Command::new("heapsmith")
        .version(env!("CARGO_PKG_VERSION"))
        .about(command.get_about().cloned().unwrap_or_default())
        .after_help(command.get_after_help().cloned().unwrap_or_default())
        .subcommand_required(true)
        .subcommands(verbs)
}

/// Writes the page of `command`, and those of its verbs, which are named after it.
fn man_pages(command: &Command, name: &str, folder: &Path) -> Result<()> {
    let source = concat!("heapsmith ", env!("CARGO_PKG_VERSION"));
    let page = Man::new(command.clone())
        .title(name.to_uppercase())
        .section("1")
        .date("")
        .source(source)
        .manual("heapsmith");
    let mut text = Vec::new();
    page.render(&mut text).context(name.to_owned())?;
    write(&folder.join(format!("{name}.1")), &text)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        man_pages(verb, &format!("{name}-{}", verb.get_name()), folder)?;
    }
    Ok(())
}

fn write(path: &Path, text: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| error::environment(format!("{}: {error}", path.display())))
}
