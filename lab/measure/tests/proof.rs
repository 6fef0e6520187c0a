//! The proof of whole process trees.

mod lab;
mod served;

use heapsmith_measure::contender::Pinned;
use heapsmith_measure::launch::Launcher;
use heapsmith_measure::program::Program;
use heapsmith_measure::prove::{Proof, prove};
use served::{Bench, compiled};

fn proof(launcher: &Launcher, contender: &str, program: &Program) -> Proof {
    let pinned = Pinned::load().expect("the contenders");
    let contender = pinned.named(contender).expect("a contender");
    let installed = pinned.install(contender, &[]).expect("it is installed");
    prove(launcher, program, &installed).expect("it runs")
}

fn proof_of_script(contender: &str, script: &str) -> Proof {
    let bench = Bench::new();
    proof(&bench.launcher(), contender, &Program::shell(script).expect("sh"))
}

#[test]
fn each_process_behind_a_wrapper_is_named() {
    let script = format!("{} 4 3 200; true", compiled("forks").display());
    let proof = proof_of_script("glibc", &script);
    let library = proof.loaded.expect("loaded").library;
    assert!(library.ends_with("libc.so.6"), "{}", library.display());
    let forks = proof.processes.iter().find(|one| one.program == compiled("forks"));
    let forks = forks.expect("the program is named");
    assert_eq!((forks.processes, forks.allocates, &forks.library), (4, true, &library));
    assert!(proof.processes.iter().any(|one| one.program.ends_with("sh")));
    assert!(proof.remarks.is_empty(), "{:?}", proof.remarks);
}

#[test]
fn a_wrapper_under_the_contender_does_not_prove_its_program() {
    let (forks, fixed) = (compiled("forks"), compiled("forks-static"));
    let cases = [
        (format!("{} 4 1 2000; true", fixed.display()), &fixed, "it is statically linked"),
        (format!("exec {} 4 1 2000", fixed.display()), &fixed, "it is statically linked"),
        (format!("env -i {} 4 1 2000; true", forks.display()), &forks, "without LD_PRELOAD"),
    ];
    for (script, program, reason) in cases {
        let why = proof_of_script("glibc", &script).loaded.expect_err("a failure").why;
        assert!(why.contains(&format!("no preload reached {}", program.display())), "{why}");
        assert!(why.contains(reason), "{why}");
    }
}

#[test]
fn a_server_is_proved_under_its_load() {
    let bench = Bench::new();
    let service = bench.service(&bench.port.to_string(), &bench.send("grow=4"));
    let launcher = Launcher { service: Some(&service), ..bench.launcher() };
    let proof = proof(&launcher, "glibc", &bench.server(""));
    assert!(proof.loaded.is_ok());
    assert_eq!(proof.processes.len(), 1, "the load does not belong to it: {:?}", proof.processes);
    assert_eq!(proof.processes[0].program, compiled("serves"));
}
