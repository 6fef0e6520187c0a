//! The shipped plan, bad ones, and what the command line picks from it.

use clap::Parser;

use super::*;
use crate::args::{Cli, Command};

fn args(words: &[&str]) -> BenchArgs {
    let all = ["heapsmith", "bench", "region"].iter().chain(words);
    match Cli::parse_from(all).command {
        Command::Bench(args) => args,
        _ => panic!("bench"),
    }
}

fn cases(words: &[&str]) -> Vec<Case> {
    Plan::load().expect("lab/region.toml is good").cases(&args(words)).expect("known names")
}

#[test]
fn the_shipped_plan_has_every_workload_of_the_suite() {
    let all = cases(&[]);
    let count = |prefix: &str| all.iter().filter(|case| case.workload.starts_with(prefix)).count();
    assert_eq!(count("random-"), 5 * 3 * (4 + 1));
    assert_eq!(count("fill-"), 5);
    assert_eq!(all.len() - count("random-") - count("fill-"), 18);
}

#[test]
fn the_command_line_narrows_it() {
    let picked = cases(&["--workload", "list-pop,random-fixed-64-95", "--threads", "1"]);
    let kinds: Vec<_> = picked.iter().map(|case| case.kind).collect();
    assert_eq!(kinds, [Kind::Container, Kind::Counted, Kind::Mix(1)]);
    let two = cases(&["--threads", "2"]);
    assert!(two.len() == 15 && two.iter().all(|case| case.kind == Kind::Mix(2)));
}

#[test]
fn unknown_names_are_refused() {
    let plan = Plan::load().expect("good");
    assert!(plan.cases(&args(&["--workload", "list-pull"])).is_err());
    assert!(plan.cases(&args(&["--threads", "3"])).is_err());
    assert!(plan.chosen(&["talk".to_string()]).is_err());
    assert_eq!(plan.chosen(&["talc".to_string()]).expect("known").len(), 1);
}

#[test]
fn bad_plans_are_refused() {
    let rest = "[containers]\nworkloads = []\n[mixes]\ndistributions = []\noccupancies = []\n\
                threads = []\nquick_threads = []\n";
    let contender = "[[contender]]\nname = 'x'\nabout = 'y'\n";
    assert!(Plan::parse(&format!("{contender}{rest}")).is_ok());
    assert!(Plan::parse(&format!("{contender}{contender}{rest}")).is_err());
    assert!(Plan::parse(&format!("[[contender]]\nname = 'x'\nabout = ''\n{rest}")).is_err());
    assert!(Plan::parse(&format!("{contender}surprise = 1\n{rest}")).is_err());
}

#[test]
fn threads_and_filling_are_for_those_who_can() {
    let plan = Plan::load().expect("good");
    let named = |name: &str| plan.chosen(&[name.to_string()]).expect("known").remove(0);
    assert!(named("glibc").takes_part(Kind::Mix(10)) && !named("glibc").takes_part(Kind::Fill));
    assert!(!named("talc").takes_part(Kind::Mix(2)) && named("talc").takes_part(Kind::Fill));
}

#[test]
fn a_case_becomes_the_arguments_of_its_program() {
    let case = |kind| Case { workload: "w".to_string(), kind };
    assert_eq!(case(Kind::Mix(5)).arguments(true), ["w", "--threads", "5", "--quick"]);
    assert_eq!(case(Kind::Counted).arguments(false), ["w", "--count-instructions"]);
    assert_eq!(case(Kind::Fill).arguments(false), ["w"]);
}
