//! A library that the user gives by path: it exists, and programs of this machine can load it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_trace::regular::Mapped;
use object::elf;
use object::read::elf::ElfFile64;
use object::{Architecture, Object, ObjectKind};

use crate::error::{environment, usage};
use crate::preload::require_preloadable_path;

/// The library's full path. The error is one line that names it.
pub fn require_library(path: &Path) -> Result<PathBuf> {
    let named = path.display();
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => usage(format!("{named}: there is no such library")),
        _ if path.is_dir() => usage(format!("{named} is a folder, not a shared library")),
        _ => usage(format!("{named}: {error}")),
    };
    let file = Mapped::open(path).map_err(unreadable)?;
    require_loadable(&file.bytes).map_err(|why| environment(format!("{named} {why}")))?;
    let full = std::path::absolute(path)?;
    require_preloadable_path(&full)?;
    Ok(full)
}

fn require_loadable(bytes: &[u8]) -> Result<(), String> {
    let not_shared = |_| "is not a shared library".to_string();
    let file = object::File::parse(bytes).map_err(not_shared)?;
    let architecture = file.architecture();
    if architecture != Architecture::X86_64 || !file.is_64() {
        let bits = if file.is_64() { "" } else { ", 32-bit" };
        return Err(format!("is built for {architecture:?}{bits}: this machine needs x86-64"));
    }
    match file.kind() {
        ObjectKind::Dynamic if !is_program(bytes).map_err(not_shared)? => Ok(()),
        ObjectKind::Dynamic | ObjectKind::Executable => {
            Err("is a program, not a shared library".to_string())
        }
        ObjectKind::Relocatable => {
            Err("is an object file, not a shared library: link it with cc -shared".to_string())
        }
        _ => Err("is not a shared library".to_string()),
    }
}

/// The ELF type of a position-independent program is that of a shared library.
fn is_program(bytes: &[u8]) -> object::read::Result<bool> {
    let dynamic = ElfFile64::<object::Endianness>::parse(bytes)?.elf_dynamic_table()?;
    let flags = dynamic.iter().find(|entry| entry.tag == elf::DT_FLAGS_1);
    Ok(flags.is_some_and(|flags| flags.val & elf::DF_1_PIE.0 != 0))
}

#[cfg(test)]
mod tests {
    //! Files that are not libraries are named with the reason.
    use super::*;

    fn refused(path: &str) -> String {
        require_library(Path::new(path)).expect_err(path).to_string()
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        assert_eq!(refused("/no/lib.so"), "/no/lib.so: there is no such library");
        assert_eq!(refused("/etc"), "/etc is a folder, not a shared library");
        assert_eq!(refused("/etc/passwd"), "/etc/passwd is not a shared library");
        let own = std::env::current_exe().expect("a path");
        assert!(
            refused(own.to_str().expect("text")).ends_with("is a program, not a shared library")
        );
    }

    #[test]
    fn libraries_of_other_machines_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lib.so");
        let libc = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"];
        let libc = libc.iter().find(|path| Path::new(path).exists()).expect("glibc");
        let mut bytes = std::fs::read(libc).expect("readable");
        std::fs::write(&path, &bytes).expect("written");
        require_library(&path).expect("glibc's library is one");
        bytes[18..20].copy_from_slice(&elf::EM_AARCH64.0.to_le_bytes());
        std::fs::write(&path, &bytes).expect("written");
        let error = require_library(&path).expect_err("another machine").to_string();
        assert!(error.ends_with("is built for Aarch64: this machine needs x86-64"), "{error}");
    }
}
