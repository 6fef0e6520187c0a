//! Raw files with parts that are zeros or were cut off: `pack` says so, and the trace carries it.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{heapsmith, lab};

const BLOCK: usize = 64 * 1024;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    heapsmith(folder).args(arguments).output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The raw files of a shell and two programs, the largest first.
fn record_into(raw: &Path) -> Vec<PathBuf> {
    fs::create_dir(raw).expect("a folder");
    let mut command = Command::new("sh");
    command.args(["-c", "ls -R /usr/include /usr/include; ls; ls"]).stdout(Stdio::null());
    command.env("LD_PRELOAD", lab().join("libheapsmith_recorder.so"));
    let status = command.env("HEAPSMITH_RECORD_DIR", raw).status();
    assert!(status.expect("it runs").success());
    let entries = raw.read_dir().expect("a folder").flatten().map(|it| it.path());
    let mut raws: Vec<PathBuf> =
        entries.filter(|it| it.extension() == Some("raw".as_ref())).collect();
    raws.sort_by_key(|path| std::cmp::Reverse(path.metadata().expect("a file").len()));
    assert!(raws.len() >= 3, "{raws:?}");
    raws
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|it| it.to_str()).expect("a name")
}

/// `cut` damages the raw file that comes at this place, and returns how many blocks it then lacks.
fn assert_told(which: usize, cut: impl Fn(&mut Vec<u8>) -> usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let raws = record_into(&folder.path().join("t.raw"));
    assert!(run(folder.path(), &["record", "-o", "whole", "--", "ls"]).status.success());
    let mut bytes = fs::read(&raws[which]).expect("the file");
    let (absent, name) = (cut(&mut bytes), name(&raws[which]));
    fs::write(&raws[which], bytes).expect("written");
    let line = match absent {
        1 => format!("a block of {name} is missing"),
        n => format!("{n} blocks of {name} are missing"),
    };
    let output = run(folder.path(), &["pack", "t.raw"]);
    let text = said(&output);
    // As raw files that cannot be read at all.
    assert!(output.status.success() && text.contains(&line), "{line} in {text}");
    // FILE is the trace of the process that allocated most, as far as the files say.
    let other = format!("t.others/{}", name.replace(".raw", ".trace"));
    let trace = if folder.path().join(&other).exists() { &other } else { "t" };
    let output = run(folder.path(), &["info", trace]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.starts_with("incomplete: the recording is damaged: "), "{shown}");
    assert!(shown.lines().next().is_some_and(|it| it.contains(&line)), "{shown}");
    let output = run(folder.path(), &["diff", "--fail-above", "900%", "whole", trace]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let output = run(folder.path(), &["report", trace, "-o", "page.html"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("is incomplete: the recording is damaged"), "{shown}");
}

#[test]
fn a_block_of_zeros_is_told() {
    assert_told(0, |bytes| {
        bytes[2 * BLOCK..3 * BLOCK].fill(0);
        1
    });
}

#[test]
fn a_block_of_zeros_in_the_file_of_another_process_is_told() {
    assert_told(1, |bytes| {
        bytes[BLOCK..2 * BLOCK].fill(0);
        1
    });
}

#[test]
fn a_file_that_was_cut_down_to_its_header_is_told() {
    for which in [0, 1] {
        assert_told(which, |bytes| {
            let blocks = bytes.len().div_ceil(BLOCK);
            bytes.truncate(BLOCK);
            blocks - 1
        });
    }
}

#[test]
fn a_file_that_was_cut_in_the_middle_is_told() {
    assert_told(0, |bytes| {
        let blocks = bytes.len().div_ceil(BLOCK);
        assert!(blocks > 4, "{blocks}");
        bytes.truncate((blocks - 2) * BLOCK);
        2
    });
}
