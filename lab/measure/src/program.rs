//! The program to measure: found as a shell would, and shown to be one a preload can reach.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_trace::printable;
use object::elf::{self, FileHeader64};
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind};

use crate::error::{environment, usage};

/// The kernel follows no longer chains of #! lines.
const MAX_INTERPRETERS: usize = 5;

#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// As given: `argv[0]` is not the path that was found.
    pub argv: Vec<OsString>,
}

impl Program {
    pub fn find(argv: &[OsString]) -> Result<Self> {
        let name = argv.first().ok_or_else(|| usage("no program given"))?;
        let Some(path) = search(name) else {
            return Err(usage(format!("no program '{}' to run", Path::new(name).display())));
        };
        Ok(Self { path, argv: argv.to_vec() })
    }

    /// `sh -c command`.
    pub fn shell(command: &str) -> Result<Self> {
        Self::find(&["sh", "-c", command].map(OsString::from))
    }

    /// The program that does the work: `env NAME=VALUE program` is looked through.
    pub fn subject(&self) -> PathBuf {
        let wraps = self.path.file_name() == Some(OsStr::new("env"));
        let setting = |word: &&OsString| {
            let bytes = word.as_bytes();
            bytes.starts_with(b"-") || bytes.contains(&b'=')
        };
        let wrapped = self.argv.iter().skip(1).find(|word| !setting(word));
        let found = wrapped.filter(|_| wraps).and_then(|name| search(name));
        found.unwrap_or_else(|| self.path.clone())
    }

    /// The name results carry.
    pub fn short_name(&self) -> String {
        let subject = self.subject();
        let name = subject.file_name().unwrap_or(subject.as_os_str());
        name.to_string_lossy().into_owned()
    }

    pub fn command_line(&self) -> String {
        quote(&self.argv)
    }

    /// One clear line when no preload can work on it.
    pub fn require_preloadable(&self) -> Result<()> {
        let mut path = self.subject();
        for _ in 0..MAX_INTERPRETERS {
            match interpreter(&path)? {
                Some(next) => path = next,
                None => return require_dynamic(&path).and_then(|()| require_same_rights(&path)),
            }
        }
        Err(environment(format!("{}: too many interpreters", self.path.display())))
    }
}

/// The arguments as a shell would have to be given them: bash, or another one that knows `$'\x1b'`, if
/// one has characters that a terminal obeys, or bytes that are no UTF-8.
pub fn quote(argv: &[OsString]) -> String {
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_./=:,+@%".contains(c))
    };
    let word = |argument: &OsString| {
        let text = argument.to_string_lossy();
        let printed = printable::name_of_bytes(argument.as_bytes());
        if printed != text {
            return ansi_quoted(argument.as_bytes());
        }
        if plain(&text) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The argument as `$'…'`.
fn ansi_quoted(argument: &[u8]) -> String {
    let mut text = String::from("$'");
    for part in argument.utf8_chunks() {
        for c in part.valid().chars() {
            match c {
                '\'' | '\\' => text.extend(['\\', c]),
                _ if printable::name(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() => {
                    text.push(c)
                }
                _ => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|b| format!("\\x{b:02x}"))),
            }
        }
        text.extend(part.invalid().iter().map(|b| format!("\\x{b:02x}")));
    }
    text + "'"
}

fn search(name: &OsStr) -> Option<PathBuf> {
    let runnable = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(runnable);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(runnable)
}

/// The interpreter of a script's #! line; none for other programs. `env NAME` is looked through.
fn interpreter(path: &Path) -> Result<Option<PathBuf>> {
    let unreadable = |error| environment(format!("{}: {error}", path.display()));
    let mut head = Vec::new();
    File::open(path).map_err(unreadable)?.take(256).read_to_end(&mut head).map_err(unreadable)?;
    let Some(line) = head.strip_prefix(b"#!") else {
        return Ok(None);
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(line).into_owned();
    let mut words = text.split_whitespace();
    let first = PathBuf::from(words.next().unwrap_or_default());
    if first.file_name() == Some(OsStr::new("env")) {
        let named = words.find(|word| !word.starts_with('-') && !word.contains('='));
        if let Some(found) = named.and_then(|name| search(OsStr::new(name))) {
            return Ok(Some(found));
        }
    }
    Ok(Some(first))
}

fn require_dynamic(path: &Path) -> Result<()> {
    let refuse = |why: &str| Err(environment(format!("{} {why}", path.display())));
    let cache = match File::open(path) {
        Ok(file) => ReadCache::new(file),
        Err(error) => return refuse(&format!("cannot be read: {error}")),
    };
    match FileKind::parse(&cache) {
        Ok(FileKind::Elf64) => {}
        Ok(FileKind::Elf32) => {
            return refuse(
                "is a 32-bit program: the 64-bit allocators cannot be preloaded into it",
            );
        }
        _ => return refuse("is neither an ELF program nor a script with a #! line"),
    }
    match loader(&cache) {
        Ok(Some(loader)) if loader.contains("ld-linux") => Ok(()),
        Ok(Some(loader)) => refuse(&format!(
            "is loaded by {loader}, not by glibc's loader: these allocators need glibc"
        )),
        Ok(None) => refuse(
            "is statically linked (it has no PT_INTERP): LD_PRELOAD has no effect on it, so no \
             allocator can be exchanged",
        ),
        Err(error) => refuse(&format!("is not a sound ELF program: {error}")),
    }
}

/// The dynamic loader that an ELF program names.
fn loader(cache: &ReadCache<File>) -> object::read::Result<Option<String>> {
    let header = FileHeader64::<Endianness>::parse(cache)?;
    let endian = header.endian()?;
    for segment in header.program_headers(endian, cache)? {
        if segment.p_type(endian) == elf::PT_INTERP {
            let bytes = segment.data(endian, cache).unwrap_or_default();
            return Ok(Some(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string()));
        }
    }
    Ok(None)
}

/// ld.so ignores LD_PRELOAD if the exec changes the user, the group or the capabilities.
fn require_same_rights(path: &Path) -> Result<()> {
    let meta = fs::metadata(path)?;
    // SAFETY: these calls have no preconditions.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let gains = [
        (meta.mode() & libc::S_ISUID != 0 && meta.uid() != user, "is setuid"),
        (meta.mode() & libc::S_ISGID != 0 && meta.gid() != group, "is setgid"),
        (user != 0 && has_capabilities(path), "has file capabilities"),
    ];
    match gains.iter().find(|(gains, _)| *gains) {
        None => Ok(()),
        Some((_, what)) => Err(environment(format!(
            "{} {what}: the loader ignores LD_PRELOAD there, so no allocator can be exchanged; \
             run it as its owner or copy it without the bit",
            path.display()
        ))),
    }
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: both strings end in NUL; a null buffer of size 0 asks for the length alone.
    let length = unsafe {
        libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0)
    };
    length > 0
}

#[cfg(test)]
mod tests {
    //! Quoting, searching and looking through scripts.
    use super::*;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        let argv = ["sh", "-c", "echo 'a b'; true", ""].map(OsString::from);
        assert_eq!(quote(&argv), r"sh -c 'echo '\''a b'\''; true' ''");
        let odd = [b"a\x1b'\n".to_vec(), b"/\xff\\x".to_vec()].map(OsString::from_vec);
        assert_eq!(quote(&odd), r"$'a\x1b\'\x0a' $'/\xff\\x'");
    }

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        assert!(Program::find(&["sh".into()]).is_ok());
        assert!(Program::find(&["no-such-program-here".into()]).is_err());
        assert!(Program::find(&["/".into()]).is_err());
    }

    #[test]
    fn env_is_looked_through() {
        let program = Program::find(&["env", "A=1", "sh", "-c", "true"].map(OsString::from));
        assert_eq!(program.expect("env is there").short_name(), "sh");
        let alone = Program::find(&["env".into()]).expect("env is there");
        assert_eq!(alone.short_name(), "env");
    }

    #[test]
    fn a_script_is_judged_by_its_interpreter() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script");
        let mut options = fs::OpenOptions::new();
        let mut file = options.create(true).write(true).mode(0o755).open(&script).expect("a file");
        std::io::Write::write_all(&mut file, b"#!/usr/bin/env -S sh -e\ntrue\n").expect("written");
        drop(file);
        let through = interpreter(&script).expect("readable").expect("an interpreter");
        assert_eq!(through.file_name(), Some(OsStr::new("sh")));
        let program = Program::find(&[script.into()]).expect("found");
        program.require_preloadable().expect("sh is dynamic");
    }
}
