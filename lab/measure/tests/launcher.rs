//! The launcher's report: peak RSS must not carry over from the parent.

mod lab;

use std::process::Command;

/// The fields of the launcher's report on its fd 1.
fn report(path: &str, argv: &[&str]) -> Vec<String> {
    let mut command = Command::new(lab::lab().join("launcher"));
    let output = command.args(["1", "0", path, "--"]).args(argv).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.split_whitespace().map(str::to_string).collect()
}

fn median_rss_kib_of_true() -> i64 {
    let mut all: Vec<i64> =
        (0..9).map(|_| report("/bin/true", &["true"])[5].parse().expect("a number")).collect();
    all.sort_unstable();
    all[4]
}

/// The kernel's report on a child that this very process starts.
#[allow(clippy::zombie_processes)] // wait4 reaps it, and unlike wait tells its usage.
fn rss_kib_started_directly() -> i64 {
    let child = Command::new("/bin/true").spawn().expect("it runs");
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let pid = child.id() as libc::pid_t;
    // SAFETY: the struct is of the type wait4 writes, and is valid when zeroed.
    unsafe {
        assert_eq!(libc::wait4(pid, std::ptr::null_mut(), 0, usage.as_mut_ptr()), pid);
        usage.assume_init().ru_maxrss
    }
}

#[test]
fn peak_rss_reads_the_same_from_a_parent_of_300_mib() {
    let small = median_rss_kib_of_true();
    let ballast = std::hint::black_box(vec![1u8; 300 << 20]);
    let large = median_rss_kib_of_true();
    let direct = rss_kib_started_directly();
    assert_eq!(ballast.iter().step_by(1 << 20).map(|byte| u32::from(*byte)).sum::<u32>(), 300);
    // Pages of libc that the kernel maps ahead differ by some 100 KiB with its page cache.
    let change = (large - small).abs();
    assert!(change <= 1 << 10, "{small} KiB from a small parent, {large} KiB from a large one");
    // The control: without the launcher the parent's size shows, so the test above can fail.
    assert!(direct > 250 << 10, "started directly it reads {direct} KiB");
}

#[test]
fn wall_and_cpu_time_are_the_childs() {
    let slept = report("/bin/sleep", &["sleep", "0.3"]);
    let wall_ns: i64 = slept[2].parse().expect("a number");
    assert!(wall_ns >= 300_000_000, "{wall_ns}");
    let cpu_us = |fields: &[String]| -> i64 {
        fields[3].parse::<i64>().expect("user") + fields[4].parse::<i64>().expect("system")
    };
    assert!(cpu_us(&slept) < 100_000);
    let count = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    assert!(cpu_us(&report("/bin/sh", &["sh", "-c", count])) > 10_000);
}

#[test]
fn grandchildren_that_are_waited_for_count() {
    let script = "head -c 50000000 /dev/zero | tail -c 50000000 > /dev/null; true";
    let rss_kib: i64 = report("/bin/sh", &["sh", "-c", script])[5].parse().expect("a number");
    assert!(rss_kib > 45_000, "tail keeps 50 MB, the launcher says {rss_kib} KiB");
}

#[test]
fn exit_signal_and_refusal_are_told_apart() {
    let status = |script: &str| -> i32 {
        report("/bin/sh", &["sh", "-c", script])[8].parse().expect("a status")
    };
    assert_eq!(libc::WEXITSTATUS(status("exit 7")), 7);
    assert_eq!(libc::WTERMSIG(status("kill -KILL $$")), libc::SIGKILL);
    assert_eq!(report("/no/such/program", &["x"]), ["refused", &libc::ENOENT.to_string()]);
}

#[test]
fn only_the_child_gets_the_changed_environment() {
    let mut command = Command::new(lab::lab().join("launcher"));
    command.env("GONE", "1").args(["2", "0", "/bin/sh", "ADDED=a b", "-GONE", "--", "sh", "-c"]);
    let output = command.arg(r#"echo "$ADDED${GONE-gone}""#).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a bgone\n");
}

/// Whether a process is there and has not ended.
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn processes_that_a_program_leaves_running_are_ended_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let pid_file = folder.path().join("pid").display().to_string();
    let script = format!("sleep 600 & echo $! > {pid_file}; (sleep 600 &)");
    let fields = report("/bin/sh", &["sh", "-c", &script]);
    assert_eq!(fields[9..], ["2", "ended"]);
    assert!(!is_running(&std::fs::read_to_string(pid_file).expect("a pid")));
    assert_eq!(report("/bin/true", &["true"])[9..], ["0", "ended"]);
    // Once of a few times, since the machine may be busy.
    let ends_by_itself = || report("/bin/sh", &["sh", "-c", "(sleep 0.03 &)"])[9] == "0";
    assert!((0..10).any(|_| ends_by_itself()), "a process that ends soon is not left running");
}

#[test]
fn usage_of_processes_that_nobody_waits_for_counts() {
    let script = "(head -c 50000000 /dev/zero | tail -c 50000000 > /dev/null &) ; sleep 5";
    let fields = report("/bin/sh", &["sh", "-c", script]);
    let rss_kib: i64 = fields[5].parse().expect("a number");
    assert!(rss_kib > 45_000, "tail keeps 50 MB, the launcher says {rss_kib} KiB");
}

#[test]
fn a_program_that_obeys_is_stopped_quickly() {
    let stop_s = || {
        let mut command = Command::new(lab::lab().join("launcher"));
        command.args(["1", "100", "/bin/sleep", "--", "sleep", "600"]);
        let began = std::time::Instant::now();
        let text = String::from_utf8(command.output().expect("it runs").stdout).expect("text");
        assert!(text.ends_with("timeout\n"), "{text}");
        began.elapsed().as_secs_f64()
    };
    // The best of a few, since the machine may be busy. Programs that disobey get a second.
    let best = (0..5).map(|_| stop_s()).fold(f64::INFINITY, f64::min);
    assert!(best < 0.9, "{best} s");
}
