//! The code of a piece of advice, in the language of the program. The files of the folder are whole
//! programs, which tests compile and run; the lines between `// [` and `// ]` are shown.

use heapsmith_trace::advice::candidates::Change;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    C,
    #[default]
    Cpp,
    Rust,
}

impl Language {
    /// By the name of a file.
    pub fn of(path: &str) -> Self {
        match path.rsplit('.').next() {
            Some("rs") => Self::Rust,
            Some("c") => Self::C,
            _ => Self::Cpp,
        }
    }
}

macro_rules! program {
    ($name:literal) => {
        include_str!(concat!("code/", $name))
    };
}

/// The program that shows a change. There are no families for C, so C++ stands for it.
fn program(change: Change, language: Language) -> &'static str {
    match (change, language) {
        (Change::StackBuffer, Language::C) => program!("stack_buffer.c"),
        (Change::StackBuffer, Language::Cpp) => program!("stack_buffer.cpp"),
        (Change::StackBuffer, Language::Rust) => program!("stack_buffer.rs"),
        (Change::ReusedBuffer, Language::C) => program!("reused_buffer.c"),
        (Change::ReusedBuffer, Language::Cpp) => program!("reused_buffer.cpp"),
        (Change::ReusedBuffer, Language::Rust) => program!("reused_buffer.rs"),
        (Change::Reserve, Language::C) => program!("reserve.c"),
        (Change::Reserve, Language::Cpp) => program!("reserve.cpp"),
        (Change::Reserve, Language::Rust) => program!("reserve.rs"),
        (Change::Scope, Language::Rust) => program!("scope.rs"),
        (Change::Scope, _) => program!("scope.cpp"),
        (Change::Arena, Language::Rust) => program!("arena.rs"),
        (Change::Arena, _) => program!("arena.cpp"),
        (Change::Heap, Language::C) => program!("heap.c"),
        (Change::Heap, Language::Cpp) => program!("heap.cpp"),
        (Change::Heap, Language::Rust) => program!("heap.rs"),
        (Change::Pool, Language::Rust) => program!("pool.rs"),
        (Change::Pool, _) => program!("pool.cpp"),
        (Change::SharedPool, Language::Rust) => program!("shared_pool.rs"),
        (Change::SharedPool, _) => program!("shared_pool.cpp"),
    }
}

/// Lines to paste; `limit` is in bytes.
pub fn code(change: Change, language: Language, limit: u64) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut is_shown, mut indent) = (false, 0);
    for line in program(change, language).lines() {
        let text = line.trim_start();
        match text {
            "// [" => (is_shown, indent) = (true, line.len() - text.len()),
            "// ]" => is_shown = false,
            _ if is_shown => lines.push(line.get(indent..).unwrap_or(text).to_string()),
            _ => {}
        }
    }
    lines.join("\n").replace("LIMIT", &limit.to_string())
}

#[cfg(test)]
mod tests {
    //! `rust/compile-fail/tests/advice.rs` compiles and runs the programs in Rust.
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    const CHANGES: [Change; 8] = [
        Change::StackBuffer,
        Change::ReusedBuffer,
        Change::Reserve,
        Change::Scope,
        Change::Arena,
        Change::Heap,
        Change::Pool,
        Change::SharedPool,
    ];

    #[test]
    fn the_marked_lines_are_shown() {
        let shown = code(Change::StackBuffer, Language::C, 128);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "char buffer[128];");
        assert_eq!(lines.last(), Some(&"if (p != buffer) free(p);"));
        for change in CHANGES {
            for language in [Language::C, Language::Cpp, Language::Rust] {
                let shown = code(change, language, 64);
                assert!(!shown.is_empty() && !shown.contains("LIMIT"), "{change:?} {shown}");
            }
        }
    }

    #[test]
    fn the_programs_compile_and_run() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let (include, library) = (root.join("include"), root.join("build/release/libheapsmith.a"));
        let folder = tempfile::tempdir().expect("a folder");
        for change in CHANGES {
            for (language, ending, compiler, standard) in
                [(Language::C, "c", "cc", "-std=c11"), (Language::Cpp, "cpp", "c++", "-std=c++20")]
            {
                let text = program(change, language);
                if text.contains(".hpp>") && language == Language::C {
                    continue; // that is the program in C++
                }
                let (file, built) =
                    (folder.path().join(format!("it.{ending}")), folder.path().join("it"));
                fs::write(&file, text).expect("written");
                let mut command = Command::new(compiler);
                command.args([standard, "-Wall", "-Werror", "-pthread", "-I"]).arg(&include);
                command.arg(&file).arg("-o").arg(&built);
                if text.contains("heapsmith/heap") {
                    if !library.exists() {
                        eprintln!("{change:?} was not compiled: run ./dev build first");
                        continue;
                    }
                    command.arg(&library);
                }
                let compiled = command.status();
                assert!(compiled.expect("a compiler").success(), "{change:?} {ending}");
                let ran = Command::new(&built).status();
                assert!(ran.expect("it runs").success(), "{change:?} {ending}");
            }
        }
    }
}
