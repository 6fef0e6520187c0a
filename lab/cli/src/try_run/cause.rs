//! Why a program fails under preloaded allocators alone, where its file or the loader tells: it has a
//! malloc of its own, or it opens libraries past the preload.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use heapsmith_measure::contender::{AS_BUILT, Installed};
use heapsmith_measure::program::Program;
use heapsmith_trace::identity::parse;
use heapsmith_trace::printable::name_of_bytes;
use heapsmith_trace::regular::Mapped;
use object::{Object, ObjectSymbol};

use crate::try_run::field::Field;
use crate::try_run::runs::Runs;

/// A sentence on the first command that fails under a preload, but not as it is built.
pub fn of(runs: &Runs, fields: &[Field]) -> Result<Option<String>> {
    for field in fields {
        let failures = field.failures();
        if failures.iter().any(|it| it.failure.contender == AS_BUILT) {
            continue;
        }
        let ran = failures.iter().filter(|it| it.failure.exit != Some(0));
        let preloaded = |name: &str| field.installed(name).filter(|it| it.preload.is_some());
        let Some(under) = ran.filter_map(|it| preloaded(&it.failure.contender)).next() else {
            continue;
        };
        let program = &field.subject.program;
        if defines_malloc(&program.subject()) {
            return Ok(Some(own_malloc(program)));
        }
        if let Some(library) = opened_past_preload(runs, program, under)? {
            return Ok(Some(deep_binding(&library)));
        }
    }
    Ok(None)
}

fn own_malloc(program: &Program) -> String {
    format!(
        "{} defines malloc itself, so a preloaded allocator gets only some of the calls, and each \
         of the two is asked to free blocks of the other. The program is wrong here, not the \
         allocator. To compare allocators, link it without its malloc.",
        program.short_name()
    )
}

fn deep_binding(library: &str) -> String {
    format!(
        "The program opens {library} with RTLD_DEEPBIND, so this library calls libc's malloc \
         instead of the preloaded one. Then the program gets blocks of the library, or the library \
         gets blocks of the program. To compare allocators, open it without that flag."
    )
}

fn defines_malloc(program: &Path) -> bool {
    let Ok(file) = Mapped::open(program) else { return false };
    let Some(object) = parse(&file) else { return false };
    let mut all = object.dynamic_symbols();
    all.any(|it| it.is_definition() && it.name_bytes().is_ok_and(|name| name == b"malloc"))
}

/// Runs the program once more, and asks the loader in which order libraries look for functions.
fn opened_past_preload(
    runs: &Runs,
    program: &Program,
    under: &Installed,
) -> Result<Option<String>> {
    let folder = tempfile::tempdir().context("a folder for the loader's notes")?;
    let notes = folder.path().join("scopes");
    let settings = [("LD_DEBUG", "scopes".into()), ("LD_DEBUG_OUTPUT", notes.into_os_string())];
    runs.with_settings(program, under, settings)?;
    for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
        let text = fs::read(entry.path()).unwrap_or_default();
        if let Some(library) = first_bound_deeply(&text) {
            return Ok(Some(library));
        }
    }
    Ok(None)
}

/// "object=./x.so [0]" and then " scope 0: ./x.so /lib/libc.so.6": it finds its own functions before
/// those of the program, which is the first object.
fn first_bound_deeply(notes: &[u8]) -> Option<String> {
    let mut object: Option<&[u8]> = None;
    let mut program: Option<&[u8]> = None;
    for line in notes.split(|&b| b == b'\n') {
        let told = line.iter().position(|&b| b == b'\t').map_or(line, |at| &line[at + 1..]);
        if let Some(name) = told.strip_prefix(b"object=") {
            object = Some(name.strip_suffix(b" [0]").unwrap_or(name));
            program = program.or(object);
        }
        let Some(scope) = told.strip_prefix(b" scope 0: ") else { continue };
        if let Some(name) = object.take().filter(|it| Some(*it) != program)
            && scope.strip_prefix(name).is_some_and(|rest| rest.first().is_none_or(|&b| b == b' '))
        {
            return Some(name_of_bytes(name));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_looks_into_itself_first_is_found() {
        let notes = b"     7:\t\n     7:\tobject=./host [0]\n     7:\t scope 0: ./host /lib/libc.so.6\n\
            7:\tobject=vdso.so.1 [0]\n 7:\t scope 0: ./host /lib/libc.so.6\n 7:\t scope 1: vdso.so.1\n\
            7:\tobject=/lib/ld.so [0]\n 7:\t no scope\n\
            7:\tobject=./a b.so [0]\n 7:\t scope 0: ./host\n 7:\t scope 1: ./a b.so\n";
        assert_eq!(first_bound_deeply(notes), None);
        let deep = b"7:\tobject=./p.so [0]\n7:\t scope 0: ./p.so /lib/libc.so.6\n";
        assert_eq!(first_bound_deeply(&[&notes[..], deep].concat()).as_deref(), Some("./p.so"));
    }
}
