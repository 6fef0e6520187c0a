//! The loader of a program: whether it will load the recorder.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::error::environment;
use heapsmith_trace::regular;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// It loads no libraries.
    None,
    Musl,
    Other,
}

/// That of a program, which is looked for as `exec` does. A script or no file has another.
pub fn of(program: &OsStr) -> Loader {
    let file = path_of(program).and_then(|path| regular::open(&path).ok());
    file.and_then(|file| of_file(&file)).unwrap_or(Loader::Other)
}

/// Errors: the program would not start, because musl's loader ends where it cannot load a library.
pub fn require_no_musl(program: &OsStr) -> Result<()> {
    match of(program) {
        Loader::Musl => Err(environment(format!(
            "{} is a program of musl, whose loader cannot load the recorder, a library of glibc: \
             build the program for glibc to record it",
            Path::new(program).display()
        ))),
        _ => Ok(()),
    }
}

fn path_of(program: &OsStr) -> Option<PathBuf> {
    let named = Path::new(program);
    if named.components().count() > 1 {
        return Some(named.to_path_buf());
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    std::env::split_paths(&folders).map(|it| it.join(named)).find(|it| it.is_file())
}

/// Of an ELF file with 64 bits.
fn of_file(file: &File) -> Option<Loader> {
    const INTERPRETER: u64 = 3;
    const MOST_NAME: u64 = 4096;
    let read = |at: u64, n: usize| {
        let mut bytes = vec![0; n];
        file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, &it| sum << 8 | u64::from(it));
    let header = read(0, 64)?;
    if !header.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let (at, each, n) = (&header[32..40], &header[54..56], &header[56..58]);
    let (at, each, n) = (number(at), number(each), number(n));
    for i in 0..n {
        let part = read(at.checked_add(i * each)?, 56)?;
        if number(&part[..4]) == INTERPRETER {
            let (from, bytes) = (number(&part[8..16]), number(&part[32..40]));
            let name = read(from, bytes.min(MOST_NAME) as usize)?;
            let is_musl = name.windows(8).any(|it| it == b"/ld-musl");
            return Some(if is_musl { Loader::Musl } else { Loader::Other });
        }
    }
    Some(Loader::None)
}

#[cfg(test)]
mod tests {
    //! Programs of this machine, and the beginning of one that it may not have.
    use super::*;

    /// A program with one part, which names this loader.
    fn program(loader: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02".to_vec();
        bytes.resize(64 + 56, 0);
        (bytes[32], bytes[54], bytes[56]) = (64, 56, 1);
        (bytes[64], bytes[64 + 8], bytes[64 + 32]) = (3, 120, loader.len() as u8);
        bytes.extend(loader);
        bytes
    }

    #[test]
    fn a_loader_is_known_by_its_name() {
        assert_eq!(of(OsStr::new("sh")), Loader::Other);
        assert_eq!(of(OsStr::new("/absent")), Loader::Other);
        let file = tempfile::NamedTempFile::new().expect("a file");
        let with = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).expect("written");
            of(file.path().as_os_str())
        };
        let musl = program(b"/lib/ld-musl-x86_64.so.1\0");
        assert_eq!(with(&musl), Loader::Musl);
        assert_eq!(with(&program(b"/lib64/ld-linux-x86-64.so.2\0")), Loader::Other);
        let mut without = musl.clone();
        without[64] = 1;
        assert_eq!(with(&without), Loader::None);
        assert_eq!(with(&musl[..100]), Loader::Other);
        assert_eq!(with(b"#!/bin/sh"), Loader::Other);
        std::fs::write(file.path(), &musl).expect("written");
        let told = require_no_musl(file.path().as_os_str()).expect_err("refused").to_string();
        assert!(told.contains("program of musl"), "{told}");
    }
}
