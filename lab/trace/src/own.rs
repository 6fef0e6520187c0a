//! The reader's code, apart from that of the system and of standard libraries.

use crate::packed::Module;
use crate::symbols::{Frame, brief, file_name};

/// Where system libraries lie.
const SYSTEM: [&str; 4] = ["/lib", "/usr/lib", "/usr/local/lib", "/nix/store"];
/// Code of standard libraries that compilers write into programs.
const STANDARD: [&str; 6] =
    ["std::", "__gnu_cxx::", "core::", "alloc::", "hashbrown::", "operator "];

/// Whether a library came with the system. Programs in its folders may be the reader's.
pub fn is_system(file: &str) -> bool {
    let is_library = file_name(file).contains(".so") || !file.starts_with('/');
    is_library && (!file.starts_with('/') || SYSTEM.iter().any(|folder| file.starts_with(folder)))
}

/// Whether a function is of a language's standard library; `name` is brief.
pub fn is_standard(name: &str) -> bool {
    let name = name.trim_start_matches('<');
    STANDARD.iter().any(|it| name.starts_with(it))
}

/// The innermost of the frames of a caller in `module` that is the reader's code.
pub fn innermost<'a>(frames: &'a [Frame], module: Option<&Module>) -> Option<&'a Frame> {
    let is_own =
        |it: &&Frame| it.function.as_deref().is_some_and(|name| !is_standard(&brief(name)));
    frames.iter().find(is_own).filter(|_| module.is_some_and(|it| !is_system(&it.file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_the_system_is_not_the_readers() {
        for (file, expected) in [
            ("/usr/lib/x86_64-linux-gnu/libc.so.6", true),
            ("/lib/x86_64-linux-gnu/libz.so", true),
            ("[vdso]", true),
            ("/usr/bin/python3", false),
            ("/home/me/app", false),
            ("/home/me/lib/libmine.so", false),
        ] {
            assert_eq!(is_system(file), expected, "{file}");
        }
        assert!(is_standard("std::vector<…>::push_back") && is_standard("<alloc::vec::Vec<…>"));
        assert!(!is_standard("standard::f") && !is_standard("(anonymous namespace)::std"));
    }

    #[test]
    fn the_innermost_frame_is_the_readers() {
        let frame = |name: &str| Frame { function: Some(name.into()), ..Frame::default() };
        let frames = ["void std::vector<int>::grow<int>(int&&)", "parse(int)", "main"].map(frame);
        let program = Module { file: "/home/me/app".into(), ..Module::default() };
        let library = Module { file: "/usr/lib/libz.so.1".into(), ..Module::default() };
        assert_eq!(innermost(&frames, Some(&program)), Some(&frames[1]));
        assert_eq!(innermost(&frames[..1], Some(&program)), None);
        let vec = ["<alloc::vec::Vec<u8> as core::clone::Clone>::clone", "main"].map(frame);
        assert_eq!(innermost(&vec, Some(&program)), Some(&vec[1]));
        assert_eq!(innermost(&frames, Some(&library)), None);
        assert_eq!(innermost(&frames, None), None);
    }
}
