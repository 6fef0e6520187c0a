//! `heapsmith peers`: the list, and building the cheapest allocator from the registry.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{heapsmith, json_lines};
use heapsmith_measure::contender::Pinned;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

/// `heapsmith peers` with a cache of its own.
fn peers(cache: &Path, arguments: &[&str]) -> Command {
    let mut command = heapsmith(cache);
    command.arg("peers").args(arguments).env("HEAPSMITH_CACHE_DIR", cache);
    for tool in ["CARGO", "CC", "CXX", "MAKE"] {
        command.env_remove(tool);
    }
    command
}

/// A stand-in for cargo: it "downloads" a package with the pinned checksum and no registry.
fn offline(cache: &Path) -> Command {
    let package = cache.join("package");
    fs::create_dir_all(package.join("rpmalloc/rpmalloc")).expect("a folder");
    let pinned = Pinned::load().expect("the contenders");
    let (_, source) =
        pinned.buildable().find(|(one, _)| one.name == "rpmalloc").expect("it is pinned");
    let (name, version, sha256) = (&source.package, &source.version, &source.sha256);
    let lock = format!("[[package]]\nname = \"{name}\"\nchecksum = \"{sha256}\"\n");
    let manifest = package.join("Cargo.toml");
    let package = json!({"name": name, "version": version, "manifest_path": manifest});
    let metadata = json!({"packages": [package]});
    let body = format!("printf '{lock}' > Cargo.lock; echo '{metadata}'");
    let mut command = peers(cache, &["install", "rpmalloc"]);
    command.env("CARGO", script(cache, "cargo", &body));
    command
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat()
}

/// Everything in the cache, without the lock.
fn kept(cache: &Path) -> Vec<String> {
    let entries = fs::read_dir(cache.join("peers")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != ".lock").collect()
}

#[test]
fn rpmalloc_is_built_from_the_registry_proven_and_used() {
    let cache = tempfile::tempdir().expect("a folder");
    let output = peers(cache.path(), &["install", "rpmalloc"]).output().expect("it runs");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(kept(cache.path()), ["rpmalloc-1.4.3"]);

    // A second time there is nothing to do, and no compiler is needed.
    let again = peers(cache.path(), &["install", "rpmalloc"]).env("CC", "/no/cc").output();
    let again = again.expect("it runs");
    assert!(again.status.success() && said(&again).contains("is installed"), "{}", said(&again));

    let list = peers(cache.path(), &["--json"]).output().expect("it runs");
    let lines = String::from_utf8_lossy(&list.stdout).into_owned();
    let all: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |name: &str| all.iter().find(|one| one["name"] == name).expect("it is listed");
    assert_eq!(of("rpmalloc")["version"], "1.4.3");
    assert!(of("rpmalloc")["library"].as_str().expect("a path").ends_with("librpmalloc.so"));
    assert_eq!(of("snmalloc")["version"], Value::Null);
    assert!(of("snmalloc")["state"].as_str().expect("text").contains("heapsmith peers install"));

    let mut run = heapsmith(cache.path());
    run.env("HEAPSMITH_CACHE_DIR", cache.path());
    run.args(["try", "--rounds", "6", "--json", "out.json"]);
    let run = run.args(["--alloc", "rpmalloc", "--", "sort", "/etc/passwd"]).output();
    let run = run.expect("it runs");
    assert!(run.status.success(), "{}", said(&run));
    let records = json_lines(&cache.path().join("out.json"));
    let sample = records.iter().find(|one| one["contender"] == "rpmalloc").expect("it ran");
    assert_eq!(sample["version"], "1.4.3");
}

#[test]
fn missing_tools_are_named_with_their_packages() {
    let cache = tempfile::tempdir().expect("a folder");
    let output = peers(cache.path(), &["install"]).env("PATH", "/nowhere").output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    let text = said(&output);
    for tool in
        ["cargo (", "cc (", "c++ (", "make (", "apt install cargo-web gcc g++ make", "gcc-c++"]
    {
        assert!(text.contains(tool), "{tool}: {text}");
    }
    assert!(kept(cache.path()).is_empty());
}

#[test]
fn a_failed_build_keeps_its_log_and_nothing_else() {
    let cache = tempfile::tempdir().expect("a folder");
    let body = "echo 'x.c:1: error: no such thing' >&2; exit 1";
    let compiler = script(cache.path(), "compiler", body);
    let output = offline(cache.path()).env("CC", compiler).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("x.c:1: error: no such thing"), "{}", said(&output));
    assert_eq!(kept(cache.path()), ["rpmalloc-1.4.3.log"]);
}

#[test]
fn an_interrupted_build_leaves_nothing() {
    interrupt_while("touch started; sleep 600");
}

#[test]
fn a_compiler_that_ignores_the_interrupt_is_killed() {
    interrupt_while("trap '' TERM; touch started; sleep 600");
}

fn interrupt_while(compiler: &str) {
    let cache = tempfile::tempdir().expect("a folder");
    let compiler = script(cache.path(), "compiler", compiler);
    let mut command = offline(cache.path());
    let child = command.env("CC", compiler).stderr(Stdio::piped()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !has_started(cache.path()) {
        assert!(Instant::now() < deadline, "the compiler was not started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let signalled = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    assert!(signalled.success());
    let asked = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(asked.elapsed() < Duration::from_secs(60), "the compiler was not stopped");
    assert!(kept(cache.path()).is_empty(), "{:?}", kept(cache.path()));
}

#[test]
fn an_allocator_that_another_installation_has_built_is_not_built_again() {
    let cache = tempfile::tempdir().expect("a folder");
    let peers = cache.path().join("peers");
    fs::create_dir(&peers).expect("a folder");
    let lock = fs::File::create(peers.join(".lock")).expect("a file");
    flock(&lock, FlockOperation::LockExclusive).expect("nobody holds it");
    let compiler = script(cache.path(), "compiler", "exit 1");
    let mut command = offline(cache.path());
    let mut child = command
        .env("CC", compiler)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut said).expect("a line");
    assert!(said.contains("waiting for it"), "{said}");
    fs::create_dir(peers.join("rpmalloc-1.4.3")).expect("a folder");
    fs::write(peers.join("rpmalloc-1.4.3/librpmalloc.so"), "").expect("a file");
    drop(lock);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("is installed"), "{output:?}");
}

/// Whether the compiler has left its mark in the folder of the sources.
fn has_started(cache: &Path) -> bool {
    let found = Command::new("find").arg(cache.join("peers")).args(["-name", "started"]).output();
    found.is_ok_and(|found| !found.stdout.is_empty())
}

#[test]
fn an_allocator_that_cannot_be_built_is_a_usage_error() {
    let cache = tempfile::tempdir().expect("a folder");
    for (name, expected) in [
        ("rpmaloc", "did you mean 'rpmalloc'"),
        ("tbbmalloc", "heapsmith cannot build tbbmalloc: it builds jemalloc"),
    ] {
        let output = peers(cache.path(), &["install", name]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
}

fn script(folder: &Path, name: &str, body: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}
