//! Options of several verbs, and how a command line names things.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use heapsmith_measure::contender::Installed;

macro_rules! exit_codes {
    () => {
        "Exit codes: 0 ok, 1 regression (a program fails under some allocators only), 2 usage, \
         3 environment, 130 interrupted."
    };
}

pub const EXIT_CODES: &str = exit_codes!();
pub(super) use exit_codes;

#[derive(Debug, Args)]
pub struct Chosen {
    /// The allocators to run, separated by commas: NAME, /PATH/LIB.so, NAME=LIBRARY, each followed
    /// by ;VARIABLE=VALUE for its settings; or `all` (default), the newest of each installed. May be
    /// repeated; the baseline always runs
    #[arg(long, value_name = "ALLOCATOR,…")]
    pub alloc: Vec<String>,

    /// heapsmith's library to preload, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}

/// How this command was called: by its name, if a shell found it, or else by its path.
pub fn own_name() -> OsString {
    let called = std::env::args_os().next().filter(|it| it.as_encoded_bytes().contains(&b'/'));
    called.unwrap_or_else(|| "heapsmith".into())
}

/// The value of --alloc for `installed`.
pub fn spec(installed: &Installed) -> String {
    let wanted = installed.wanted.as_ref().map(ToString::to_string);
    wanted.unwrap_or_else(|| installed.name().to_string())
}

#[cfg(test)]
mod tests {
    //! An allocator that a command line names is named so again.
    use super::*;
    use heapsmith_measure::contender::Pinned;

    #[test]
    fn an_allocator_is_named_so_that_it_is_found_again() {
        let pinned = Pinned::load().expect("the file is right");
        let of = |text: &str| {
            let (found, _) =
                heapsmith_measure::contender::choose(&pinned, &[text.to_string()], "as-built", &[])
                    .expect("installed");
            spec(found.last().expect("a contender"))
        };
        assert_eq!(of("glibc"), "glibc");
        assert_eq!(of("tuned=as-built;A=1"), "tuned=as-built;A=1");
        let renamed = "jemalloc-debian=/lib/x86_64-linux-gnu/libc.so.6";
        assert_eq!(of(renamed), renamed);
        let own = of(r"mine=/lib/x86_64-linux-gnu/libc.so.6;A=1;B=x\,y");
        assert_eq!(own, r"mine=/lib/x86_64-linux-gnu/libc.so.6;A=1;B=x\,y");
    }
}
