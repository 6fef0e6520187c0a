//! Programs that fail under some contenders, in one command or several.
use super::*;

#[test]
fn an_abort_under_two_of_six_is_the_headline() {
    let quiet = |name| (name, [1.0, 1.0], QUIET);
    let rows = [row("app", &[quiet("c"), quiet("d"), ("e", [0.9, 1.0], QUIET)], 20)];
    let aborted = |name| failed(name, None, Some("SIGABRT"), "killed by SIGABRT");
    let found = judged(&rows, &[aborted("a"), aborted("b")]);
    assert_eq!(found.kind, Kind::Failure);
    let start = "app fails under a and b (killed by SIGABRT) and works under 4 others; e takes 10 % less time";
    assert!(found.headline.starts_with(start), "{}", found.headline);
    assert!(found.remedy.expect("a remedy").contains("--show-output"));
}

#[test]
fn a_contender_that_failed_once_is_not_advised() {
    let rows = [row("app", &[("a", [0.5, 0.5], QUIET), ("b", [1.0, 1.0], QUIET)], 20)];
    let found = judged(&rows, &[failed("a", Some(3), None, "exit code 3")]);
    assert_eq!((found.kind, &found.advice), (Kind::Failure, &None));
    assert_eq!(found.headline, "app fails under a (exit code 3) and works under 2 others.");
}

#[test]
fn an_allocator_that_did_not_load_is_no_crash() {
    let rows = [row("app", &[("b", [1.0, 1.0], QUIET)], 20)];
    let failures = [
        failed("a", Some(0), None, "malloc comes from x"),
        failed("c", Some(7), None, "exit code 7"),
    ];
    let found = judged(&rows, &failures);
    let expected = "app fails under c (exit code 7) and could not be measured under a (malloc comes \
                    from x) and works under 2 others.";
    assert_eq!((found.kind, found.headline.as_str()), (Kind::Failure, expected));
}

#[test]
fn without_its_baseline_nothing_is_compared() {
    let mut alone = row("app", &[("a", [0.5, 0.5], QUIET)], 20);
    alone.series.remove(0);
    let found = judged(&[alone], &[failed(BASE, Some(1), None, "exit code 1")]);
    let expected = "app fails under as-built (exit code 1) and works under one other; nothing can be compared with as-built.";
    assert_eq!(found.headline, expected);
    assert!(found.comparisons.is_empty());
}

#[test]
fn a_baseline_that_fails_in_a_later_round_is_no_baseline() {
    let row = row("app", &[("a", [0.88, 1.0], QUIET)], 20);
    let found = judged(&[row], &[failed(BASE, None, Some("SIGSEGV"), "killed by SIGSEGV")]);
    let expected = "app fails under as-built (killed by SIGSEGV) and works under one other; nothing can be compared with as-built.";
    assert_eq!((found.kind, found.headline.as_str()), (Kind::Failure, expected));
    assert_eq!(found.advice, None);
    assert!(found.comparisons.is_empty() && found.goals.is_empty());
}

#[test]
fn one_failing_command_says_nothing_of_another() {
    let rows = [row("sort", &[("a", [0.9, 1.0], QUIET)], 20)];
    let of = |name| failed_in("false", name, Some(1), None, "exit code 1");
    let found = judged(&rows, &[of(BASE), of("a")]);
    let expected = "false fails under every allocator (exit code 1); in sort a takes 10 % less \
                    time than as-built, with no measurable difference in peak memory.";
    assert_eq!((found.kind, found.headline.as_str()), (Kind::Failure, expected));
    assert_eq!(found.advice.expect("a line").contender, "a");
    assert!(found.remedy.expect("a remedy").contains("--ignore-failure"));
    let level = [row("sort", &[("a", [1.0, 1.0], QUIET)], 20)];
    let found = judged(&level, &[of(BASE), of("a")]).headline;
    assert!(found.contains("(exit code 1); in sort keep as-built: no other"), "{found}");

    let rows = [&rows[..], &[row("grow", &[("a", [0.9, 1.0], QUIET)], 20)]].concat();
    let found = judged(&rows, &[of(BASE)]);
    assert!(found.headline.ends_with("with as-built in false."), "{}", found.headline);
}

#[test]
fn beside_a_failure_a_line_to_paste_names_its_price() {
    let rows = [row("app", &[("a", [1.0, 1.0], QUIET), ("b", [0.88, 2.5], QUIET)], 20)];
    let found = judged(&rows, &[failed("a", Some(3), None, "exit code 3")]);
    let expected = "app fails under a (exit code 3) and works under 2 others; b \
                    takes 12 % less time than as-built, but 2.5 times the peak memory.";
    assert_eq!((found.kind, found.headline.as_str()), (Kind::Failure, expected));
    assert_eq!(found.advice.expect("a line").contender, "b");
}
