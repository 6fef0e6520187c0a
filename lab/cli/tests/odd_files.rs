//! Programs whose code lies in files with odd names, or in no regular file, through every verb that
//! reads their traces.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::heapsmith;
use common::lab::cc;
use common::running::Running;

const FORMATS: [&str; 7] = ["pprof", "firefox", "dhat", "folded", "speedscope", "chrome", "csv"];
/// A terminal obeys it, two bytes are no UTF-8, and it would end a line and a cell of Markdown.
const ODD: &[u8] = b"o \x1b[31md\xff\xfe\nd|`";
const ODD_SHOWN: &str = r"o \x1b[31md\xff\xfe\nd|`";

/// The command with 4 GB of addresses: to read a device without an end would fail early, and not
/// take the machine's memory.
fn limited(folder: &Path, words: &[&OsStr]) -> Output {
    let mut command = heapsmith(folder);
    let limit = libc::rlimit { rlim_cur: 4 << 30, rlim_max: 4 << 30 };
    // SAFETY: setrlimit may be called between fork and exec, and `limit` is whole.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(libc::RLIMIT_AS, &limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    command.args(words).output().expect("it runs")
}

fn said(output: &Output) -> String {
    let bytes = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8(bytes).expect("bytes that are no UTF-8 are escapes");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert!(output.status.success(), "{text}");
    text
}

fn built(folder: &Path, name: &OsStr) -> PathBuf {
    let path = folder.join(name);
    let plain = folder.join("plain");
    cc(&["-O1", "-g", "-fno-builtin"], &["lab/cli/tests/odd_files.c"], &plain);
    fs::rename(plain, &path).expect("renamed");
    path
}

#[test]
fn code_in_odd_files_is_named_and_has_no_symbols() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let program = built(at, OsStr::new("program"));
    let odd = OsStr::from_bytes(ODD);
    for (kind, name, shown) in [
        ("device", OsStr::new("x"), "zero"),
        ("pipe", OsStr::new("a pipe"), "a pipe"),
        ("socket", OsStr::new("socket"), "socket"),
        ("device_link", OsStr::new("link"), "link"),
        ("gone", OsStr::new("gone"), "gone"),
        ("hole", OsStr::new("hole"), "hole"),
        ("memfd", OsStr::new("jit"), "memfd:jit (deleted)"),
        ("memfd", odd, &format!("memfd:{ODD_SHOWN} (deleted)")),
        ("plain", odd, ODD_SHOWN),
    ] {
        let record = ["record", "-f", "-o", "t.trace", "--"].map(OsStr::new);
        let of_program = [program.as_os_str(), OsStr::new(kind), name];
        let text = said(&limited(at, &[&record[..], &of_program].concat()));
        assert!(text.starts_with("done\n"), "{kind}: {text}");
        let text = said(&limited(at, &["info", "t.trace"].map(OsStr::new)));
        let line = text.lines().find(|line| line.contains("688 KiB")).unwrap_or_default();
        assert!(line.ends_with(&format!("  {shown}+0x10")), "{kind}: {text}");
        // The other formats have the same names.
        for format in FORMATS.into_iter().filter(|&it| kind == "pipe" || it == "csv") {
            let words = ["export", "-f", "--to", format, "-o", "out", "t.trace"].map(OsStr::new);
            said(&limited(at, &words));
            let bytes = fs::read(at.join("out")).expect("exported");
            assert!(format == "pprof" || std::str::from_utf8(&bytes).is_ok(), "{format}");
            if format == "csv" {
                let text = String::from_utf8(bytes).expect("text");
                assert!(!text.contains('\u{1b}') && text.contains(&shown[..4]), "{text:?}");
            }
        }
        let words = ["diff", "--all", "--export-markdown", "out.md", "t.trace", "t.trace"];
        said(&limited(at, &words.map(OsStr::new)));
        let markdown = fs::read_to_string(at.join("out.md")).expect("text");
        assert!(!markdown.contains('\u{1b}'), "{markdown:?}");
    }
}

#[test]
fn a_program_whose_path_is_no_text_has_its_symbols() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = &folder.path().join(OsStr::from_bytes(ODD));
    fs::create_dir(at).expect("a folder");
    let program = built(at, OsStr::from_bytes(ODD));
    let record = ["record", "-o", "t.trace", "--"].map(OsStr::new);
    let of_program = [program.as_os_str(), OsStr::new("plain"), OsStr::new("code")];
    let output = limited(at, &[&record[..], &of_program].concat());
    said(&output);
    for words in [&["info", "t.trace"][..], &["export", "--to", "csv", "-o", "-", "t.trace"]] {
        let text = said(&limited(at, &words.iter().map(OsStr::new).collect::<Vec<_>>()));
        assert!(text.contains("code+0x10"), "{text}");
    }
    let info = limited(at, &["info", "--json", "-", "t.trace"].map(OsStr::new));
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
    let modules = info["modules"].as_array().expect("modules");
    let bytes = modules.iter().filter_map(|it| it["bytes"].as_array()).next().expect("the path");
    let bytes: Vec<u8> = bytes.iter().map(|it| it.as_u64().expect("a byte") as u8).collect();
    assert_eq!(OsString::from_vec(bytes), at.join("code").into_os_string());
    // The page of a trace, with its tables for readers without scripts, and files of results.
    for words in [
        &["report", "t.trace", "-o", "page.html"][..],
        &[
            "try",
            "--rounds",
            "6",
            "--alloc",
            "glibc",
            "--export-csv",
            "csv",
            "--ignore-failure",
            "--",
            "./odd",
        ],
    ] {
        fs::hard_link(&program, at.join("odd")).ok();
        said(&limited(at, &words.iter().map(OsStr::new).collect::<Vec<_>>()));
    }
    for name in ["page.html", "csv"] {
        let text = fs::read_to_string(at.join(name)).expect("UTF-8");
        assert!(!text.contains('\u{1b}'), "{name}");
    }
    // Errors name the word or the file.
    let output = limited(at, &["export", "--to", "x\u{1b}[2Jy", "t.trace"].map(OsStr::new));
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.contains(&0x1b), "{:?}", String::from_utf8_lossy(&output.stderr));
    let missing = OsStr::from_bytes(b"none\x1b[2J");
    let output = limited(at, &[OsStr::new("info"), missing]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(text.contains(r"none\x1b[2J") && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn a_running_program_whose_path_is_no_text_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join(OsStr::from_bytes(ODD));
    fs::copy(common::running::built("attached"), &program).expect("copied");
    let running = Running::start(Command::new(&program).arg("threads"));
    fs::remove_file(&program).expect("removed"); // as an upgrade does
    let words = ["record", "-f", "-o", "t.trace", "-p", &running.id(), "--for", "200ms"];
    said(&limited(folder.path(), &words.map(OsStr::new)));
    let text = said(&limited(folder.path(), &["info", "t.trace"].map(OsStr::new)));
    assert!(text.contains(&format!("{ODD_SHOWN} (deleted)+0x")), "{text}");
    running.assert_unharmed();
}
