//! Wrappers, programs that the probe does not reach, and processes under other allocators.

use super::*;
use crate::contender::Pinned;
use crate::launch::{Costs, Exit};

const GLIBC: &str = "/lib/x86_64-linux-gnu/libc.so.6";
const FIRST: i32 = 10;

fn installed(name: &str, preload: Option<&str>) -> Installed {
    let pinned = Pinned::load().expect("the contenders");
    let contender = pinned.named(name).expect("a contender").clone();
    let preload = preload.map(PathBuf::from);
    Installed::new(contender, preload)
}

fn seen(pid: i32, program: &str, cpu_ticks: u64, libc: Option<&str>) -> Seen {
    let (program, libc) = (PathBuf::from(program), libc.map(PathBuf::from));
    Seen { pid, program, cpu_ticks, anonymous_bytes: 8 << 20, libc, has_probe: false }
}

/// The judgement on lines of the probe under a contender that is preloaded from /opt/a.so.
fn judged(lines: &str, seen: &[Seen]) -> Proof {
    let ended = Ended::new(FIRST, Costs::default(), Exit::Code(0));
    judge(&installed("glibc", Some("/opt/a.so")), ended, &parse(lines.as_bytes()), seen)
}

fn why(proof: Proof) -> String {
    proof.loaded.expect_err("a failure").why
}

#[test]
fn lines_of_the_probe_are_read_and_noise_is_left_out() {
    let found = parse(b"noise\n12\t/lib/libc.so.6\t2.36\t/bin/sh\n13\t/x/libm.so\t\n");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].version.as_str(), &found[0].program), ("2.36", &"/bin/sh".into()));
    assert_eq!((found[1].pid, found[1].version.as_str()), (13, ""));
}

#[test]
fn a_wrapper_is_not_the_program() {
    let lines = "10\t/opt/a.so\t1\t/bin/sh\n11\t/opt/a.so\t1\t/bin/sh\n11\t/opt/a.so\t2.5\t/app\n";
    let proof = judged(lines, &[]);
    assert_eq!(proof.loaded.expect("loaded").library, Path::new("/opt/a.so"));
    let programs: Vec<_> = proof.processes.iter().map(|one| (one.pid, one.processes)).collect();
    assert_eq!(programs, [(10, 1), (11, 1)]);
    assert_eq!(proof.processes[1].program, Path::new("/app"));
    assert!(proof.remarks.is_empty(), "{:?}", proof.remarks);

    let other = format!("10\t/opt/a.so\t1\t/bin/sh\n11\t{GLIBC}\t2.5\t/app\n");
    assert!(why(judged(&other, &[])).contains("did not take over in /app"));
}

#[test]
fn a_static_program_behind_a_wrapper_is_named() {
    let lines = "10\t/opt/a.so\t1\t/bin/sh\n11\t/opt/a.so\t1\t/bin/sh\n";
    let proof = judged(lines, &[seen(10, "/bin/sh", 0, None), seen(11, "/app", 90, None)]);
    assert_eq!(proof.processes.len(), 2, "{:?}", proof.processes);
    assert_eq!(why(proof), "no preload reached /app: it is statically linked");
    let proof = judged(lines, &[seen(10, "/app", 90, Some(GLIBC))]);
    assert_eq!(why(proof), "no preload reached /app: it was started without LD_PRELOAD");
}

#[test]
fn a_shell_that_does_the_work_is_the_program() {
    let lines = "10\t/opt/a.so\t1\t/bin/sh\n";
    let both = [seen(10, "/bin/sh", 90, None), seen(11, "/static", 2, None)];
    let proof = judged(lines, &both);
    assert!(proof.loaded.is_ok());
    assert_eq!(proof.remarks, ["the preload does not reach /static: it is statically linked"]);
}

#[test]
fn the_first_process_is_the_program_unless_it_is_a_wrapper() {
    let lines =
        format!("10\t/opt/a.so\t1\t/app\n11\t{GLIBC}\t1\t/helper\n12\t{GLIBC}\t1\t/helper\n");
    let proof = judged(&lines, &[seen(11, "/helper", 900, None)]);
    assert!(proof.loaded.is_ok());
    assert_eq!(proof.remarks.len(), 1);
    assert!(proof.remarks[0].starts_with("2 processes /helper take malloc from"));

    let lines = format!("10\t/opt/a.so\t1\t/bin/env\n10\t{GLIBC}\t1\t/app\n");
    assert!(why(judged(&lines, &[])).contains("did not take over: malloc comes from"));
    assert_eq!(why(judged("", &[])), "no preload reached the program's process");
}

#[test]
fn under_no_contender_every_library_fits() {
    let ended = Ended::new(FIRST, Costs::default(), Exit::Code(0));
    let lines = parse(b"10\t/usr/lib/libjemalloc.so.2\t5\t/app\n11\t/x.so\t\t/y\n");
    let static_helper = [seen(12, "/helper", 1, None)];
    let proof = judge(&installed("as-built", None), ended, &lines, &static_helper);
    assert_eq!(proof.loaded.expect("loaded").version, "as built");
    assert!(proof.remarks.is_empty());
    assert_eq!(proof.processes.len(), 3);
}

#[test]
fn a_child_of_fork_has_the_library_of_its_parent() {
    let lines = format!("{FIRST}\t/opt/a.so\t1.0\t/app\n");
    let mut child = seen(FIRST + 1, "/app", 500, Some("/lib/libc.so.6"));
    child.has_probe = true;
    let proof = judged(&lines, &[seen(FIRST, "/app", 1, Some("/lib/libc.so.6")), child]);
    assert_eq!(proof.remarks, Vec::<String>::new());
    assert!(proof.loaded.is_ok());
    assert_eq!((proof.processes.len(), proof.processes[0].processes), (1, 2));
}
