//! Files of the user that lie where `heapsmith record` and `pack` write and remove.

mod common;

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::traces::{assert_whole, info};
use common::{heapsmith, lab};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    heapsmith(folder).args(arguments).output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Raw files in a folder, as `hs_trace_start` and an interrupted recording leave them.
fn record_into(raw: &Path, script: &str) {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdout(Stdio::null());
    command.env("LD_PRELOAD", lab().join("libheapsmith_recorder.so"));
    let status = command.env("HEAPSMITH_RECORD_DIR", raw).status();
    assert!(status.expect("it runs").success());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn first_raw(folder: &Path) -> String {
    names(folder).into_iter().find(|name| name.ends_with(".raw")).expect("a raw file")
}

#[test]
fn pack_removes_what_it_packed_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("d");
    fs::create_dir_all(raw.join("x")).expect("a folder");
    fs::write(raw.join("x/t"), "p").expect("written");
    for name in ["1.0.raw", "photo.raw", "1.0.raw.maps", "notes.maps"] {
        fs::write(raw.join(name), "mine").expect("written");
    }
    symlink("/etc/passwd", raw.join("2.0.raw")).expect("a link");
    let kept = names(&raw);
    record_into(&raw, "ls; ls");
    let output = run(folder.path(), &["pack", "d", "-o", "app.trace"]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert_eq!(names(&raw), kept);
    assert_eq!(fs::read(raw.join("x/t")).expect("kept"), b"p");
    for line in ["left out: d/1.0.raw is not", "left out: d/2.0.raw is not", "d stays: it has 6"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert_whole(&info(&folder.path().join("app.trace")));
    // A trace within the folder stays, and a raw file is not replaced by its own trace.
    record_into(&raw, "ls");
    let raw_file = format!("d/{}", first_raw(&raw));
    let output = run(folder.path(), &["pack", "d", "-f", "-o", &raw_file]);
    assert!(
        output.status.code() == Some(2) && said(&output).contains("is a file of the recording")
    );
    let output = run(folder.path(), &["pack", "d", "-o", "d/in.trace"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_whole(&info(&raw.join("in.trace")));
    let text = said(&output);
    assert!(
        text.contains("d stays: it has 8 files that were not packed, such as \"1.0.raw\""),
        "{text}"
    );
    // Nothing that can be packed is left.
    let output = run(folder.path(), &["pack", "d", "-o", "none.trace"]);
    let text = said(&output);
    assert!(output.status.code() == Some(3) && text.contains("d/1.0.raw is not a"), "{text}");
    assert!(!text.contains("packs it"), "{text}");
}

#[test]
fn an_empty_folder_is_removed_when_all_is_packed() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("t.trace.raw");
    fs::create_dir(&raw).expect("a folder");
    record_into(&raw, "ls");
    // Programs that were killed before their first events.
    fs::write(raw.join("1.0.raw"), "").expect("written");
    fs::write(raw.join("2.0.raw"), [0; 65536]).expect("written");
    let output = run(folder.path(), &["pack", "t.trace.raw"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(names(folder.path()).first().map(String::as_str), Some("t.trace"));
    assert!(!raw.exists(), "{}", said(&output));
    assert!(!said(&output).contains("left out"), "they have nothing: {}", said(&output));
}

#[test]
fn a_recording_replaces_no_folders_of_the_user() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("photos.raw/a.jpg", "a"), ("photos.others/b.jpg", "b")] {
        fs::create_dir(folder.path().join(name).parent().expect("a folder")).expect("made");
        fs::write(folder.path().join(name), text).expect("written");
    }
    let arguments = ["record", "-f", "-o", "photos", "--", "sh", "-c", "ls; ls"];
    let output = run(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("photos.raw has a file that no recorder made, \"a.jpg\""));
    assert!(output.stdout.is_empty(), "the program did not run");
    assert_eq!(fs::read(folder.path().join("photos.raw/a.jpg")).expect("kept"), b"a");
    fs::rename(folder.path().join("photos.raw"), folder.path().join("moved")).expect("moved");
    let others = folder.path().join("photos.others");
    for _ in 0..2 {
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let all = names(&others);
        assert!(all.len() == 3 && all.contains(&"b.jpg".to_string()), "one recording: {all:?}");
    }
    let output = run(folder.path(), &["record", "-f", "-o", "photos", "--", "ls"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(names(&others), ["b.jpg"], "the traces of the last recording are gone");
}

#[test]
fn pack_of_a_file_says_what_to_name() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("d")).expect("a folder");
    record_into(&folder.path().join("d"), "ls");
    let raw = format!("d/{}", first_raw(&folder.path().join("d")));
    assert!(run(folder.path(), &["record", "-o", "t.trace", "--", "ls"]).status.success());
    fs::write(folder.path().join("other.raw"), "mine").expect("written");
    let before = (names(folder.path()), names(&folder.path().join("d")));
    for (file, line) in [
        (raw.as_str(), "is one file of a recording: pack its folder, `heapsmith pack d -o FILE`"),
        ("t.trace", "is a packed trace already: `heapsmith info t.trace` sums it up"),
        ("other.raw", "is not a folder: name that of a recording, such as app.trace.raw"),
        ("/dev/null", "is not a folder"),
    ] {
        for options in [&[][..], &["-o", "x.trace"]] {
            let output = run(folder.path(), &[&["pack", file], options].concat());
            assert_eq!(output.status.code(), Some(2), "{}", said(&output));
            assert_eq!(said(&output).lines().count(), 1, "{}", said(&output));
            assert!(said(&output).contains(&format!("{file} {line}")), "{}", said(&output));
        }
    }
    assert_eq!((names(folder.path()), names(&folder.path().join("d"))), before);
}

#[test]
fn a_link_where_the_pool_would_be_is_no_obstacle() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("d");
    fs::create_dir(&raw).expect("a folder");
    fs::write(folder.path().join("other"), "mine").expect("written");
    symlink("../other", raw.join("confined.pool")).expect("a link");
    record_into(&raw, "ls");
    let output = run(folder.path(), &["pack", "d", "-o", "t.trace"]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("d stays: it has a file that was not packed, \"confined.pool\""),
        "{text}"
    );
    assert_whole(&info(&folder.path().join("t.trace")));
    assert_eq!(fs::read(raw.join("confined.pool")).expect("kept"), b"mine");
}

#[test]
fn traces_are_for_their_owner_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.mtrace"), "@ ./app:[0x1139] + 0x5000 0x64\n").expect("written");
    fs::write(folder.path().join("t.trace"), "mine").expect("written");
    run(folder.path(), &["record", "-f", "-o", "t.trace", "--", "sh", "-c", "ls; ls"]);
    run(folder.path(), &["import", "a.mtrace"]);
    let mut all = vec![folder.path().join("t.trace"), folder.path().join("a.trace")];
    let others = folder.path().join("t.trace.others");
    all.extend(names(&others).into_iter().map(|name| others.join(name)));
    assert!(all.len() > 3, "{all:?}");
    for path in all {
        let mode = path.metadata().expect("written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
    let script = "stat -c %a raw.trace.raw >mode";
    run(folder.path(), &["record", "-o", "raw.trace", "--", "sh", "-c", script]);
    assert_eq!(fs::read(folder.path().join("mode")).expect("written"), b"700\n");
    assert_eq!(others.metadata().expect("a folder").permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_trace_goes_to_a_pipe_a_device_or_stdout_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("it runs").success());
    let mut reader = Command::new("cat");
    reader.arg(&fifo).stdout(fs::File::create(folder.path().join("read.trace")).expect("a file"));
    let mut reader = reader.spawn().expect("it runs");
    let output = run(folder.path(), &["record", "-o", "fifo", "--", "ls"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(reader.wait().expect("it ends").success());
    assert!(fifo.metadata().expect("a pipe").file_type().is_fifo());
    assert_whole(&info(&folder.path().join("read.trace")));

    let output = run(folder.path(), &["record", "-o", "-", "--", "sh", "-c", "echo said; exit 4"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(output.stdout.starts_with(b"HSTRACE\n") && said(&output).contains("said\n"));
    fs::write(folder.path().join("stdout.trace"), output.stdout).expect("written");
    assert_whole(&info(&folder.path().join("stdout.trace")));

    let output = run(folder.path(), &["record", "-o", "/dev/null", "--", "ls"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(Path::new("/dev/null").metadata().expect("a device").file_type().is_char_device());
    for arguments in [&["record", "-f", "-o", "."][..], &["record", "-o", "none/t.trace"]] {
        let output = run(folder.path(), &[arguments, &["--", "ls"]].concat());
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{arguments:?}");
    }
    symlink("nowhere", folder.path().join("link.trace")).expect("a link");
    let output = run(folder.path(), &["record", "-o", "link.trace", "--", "ls"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!folder.path().join("nowhere").exists(), "the link is replaced, as by `report`");
    assert_whole(&info(&folder.path().join("link.trace")));
}

/// The command that a message names between backticks, without its last word.
fn told(text: &str) -> Vec<String> {
    let command = text.split('`').nth(1).unwrap_or_else(|| panic!("a command in {text}"));
    let words: Vec<String> = command.split(' ').map(str::to_string).collect();
    assert_eq!(
        (words[0].as_str(), words[words.len() - 1].as_str()),
        ("heapsmith", "FILE"),
        "{text}"
    );
    words[1..words.len() - 1].to_vec()
}

#[test]
fn a_recording_that_finds_no_room_is_packed_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("t.trace.raw");
    let elsewhere = |text: &str, name: &str| {
        let mut command = heapsmith(folder.path());
        let output = command.args(told(text)).arg(name).output().expect("it runs");
        assert!(output.status.success(), "{}", said(&output));
        assert_whole(&info(&folder.path().join(name)));
    };
    let output = run(folder.path(), &["record", "-o", "/dev/full", "--", "ls"]);
    let text = said(&output);
    assert!(output.status.code() == Some(3) && text.contains("No space left"), "{text}");
    elsewhere(&text, "device.trace");

    fs::create_dir(&raw).expect("a folder");
    record_into(&raw, "ls -R /usr/include; ls; ls");
    let before = names(&raw);
    // In blocks of 512 bytes. The limit is not passed on to the command by another signal.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 1; exec \"$0\" pack t.trace.raw"]).current_dir(folder.path());
    let output = command.arg(env!("CARGO_BIN_EXE_heapsmith")).output().expect("it runs");
    let text = said(&output);
    assert!(output.status.code() == Some(3) && text.contains("File too large"), "{text}");
    assert_eq!(names(&raw), before, "nothing is removed");
    assert_eq!(names(folder.path()), ["device.trace", "t.trace.raw"], "no half of a trace");
    elsewhere(&text, "elsewhere.trace");
    assert!(!raw.exists());
}

#[test]
fn a_file_beside_an_imported_trace_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let mine: PathBuf = folder.path().join("a.trace.part");
    fs::write(&mine, "mine").expect("written");
    fs::write(folder.path().join("a.mtrace"), "@ ./app:[0x1139] + 0x5000 0x64\n").expect("written");
    let output = run(folder.path(), &["import", "a.mtrace"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read(&mine).expect("kept"), b"mine");
    symlink("nowhere", folder.path().join("link")).expect("a link");
    let output = run(folder.path(), &["info", "a.trace", "--json", "link"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!folder.path().join("nowhere").exists(), "the link is replaced, as by `report`");
}

#[test]
fn an_interrupted_packing_leaves_no_half_of_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("d")).expect("a folder");
    record_into(&folder.path().join("d"), "for n in 1 2 3; do ls -R /usr/include; done");
    let before = names(&folder.path().join("d"));
    let mut interrupted = 0;
    for delay_ms in (0..12).map(|power| 1 << power) {
        let mut command = heapsmith(folder.path());
        let mut packing = command.args(["pack", "d", "-o", "t.trace"]).spawn().expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(delay_ms));
        // SAFETY: the child has not been waited for, so the id is still its own.
        unsafe { libc::kill(packing.id() as libc::pid_t, libc::SIGTERM) };
        let code = packing.wait().expect("it ends").code();
        if code == Some(0) || folder.path().join("t.trace").exists() {
            break;
        }
        interrupted += 1;
        assert_eq!(names(folder.path()), ["d"], "{delay_ms} ms");
        assert_eq!(names(&folder.path().join("d")), before);
    }
    assert!(interrupted > 0, "no signal came while it was at work");
}
