//! Readers without scripts see the verdict and every number, and no text becomes markup.
use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::*;
use crate::failure::Failure;
use crate::machine::Machine;
use crate::prove::Identity;
use crate::record::{self, Provenance};
use crate::row::{Row, Series};
use crate::verdict::{Advice, Kind, Rules};

fn series(name: &str, wall: f64) -> Series {
    let identity = Identity {
        name: name.into(),
        version: String::new(),
        settings: Vec::new(),
        library: "/lib/x.so".into(),
        loaded: true,
    };
    let values = (0..6).map(|round| Some(wall + f64::from(round) / 100.0)).collect();
    Series::of_values(identity, BTreeMap::from([(Metric::Wall, values)]))
}

fn rendered() -> String {
    let row = Row {
        suite: "try".into(),
        workload: "app <1>".into(),
        params: Map::new(),
        series: vec![series("glibc", 1.0), series("a&b", 2.0)],
    };
    let machine = Machine::look();
    let provenance =
        Provenance { machine: machine.clone(), command: "try".into(), created: "now".into() };
    let mut judgement = Judgement::new(Kind::Keep, "Keep <glibc>.".into(), &Rules::default(), 1);
    judgement.advice = Some(Advice {
        contender: "glibc".into(),
        line: "./app && ./app".into(),
        note: String::new(),
    });
    let failed = Failed {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        failure: Failure {
            contender: "jemalloc".into(),
            exit: Some(1),
            signal: None,
            why: "exit code 1".into(),
            stderr_tail: "<script>".into(),
        },
    };
    let gain = json!({"time": {"median": 0.12}, "peak": {"median": -0.031}});
    let piece =
        json!({"title": "an arena", "places": [{"name": "a<b>"}, {"name": "c"}], "gain": gain});
    let advice = CodeAdvice {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        advice: json!({ "pieces": [piece] }),
    };
    render(&Page {
        version: 2,
        command: "try",
        created: "now",
        machine: &machine,
        contenders: Vec::new(),
        records: &record::samples(&row, &provenance),
        failures: &[failed],
        verdict: Some(&judgement),
        curves: &[],
        proof: &[],
        published: &[],
        advice: &[advice],
    })
}

#[test]
fn the_verdict_comes_first() {
    assert!(rendered().starts_with("<h1>Keep &lt;glibc&gt;.</h1>"), "{}", rendered());
    assert!(rendered().contains("<pre>./app &amp;&amp; ./app</pre>"));
}

#[test]
fn every_contender_has_a_row_with_its_median_and_interval() {
    let html = rendered();
    assert!(html.contains("<caption>app &lt;1&gt;</caption>"), "{html}");
    assert!(
        html.contains("<tr><th>glibc</th><td>1.02 s <small>1.00 s to 1.05 s</small></td></tr>")
    );
    assert!(html.contains("<tr><th>a&amp;b</th><td>2.02 s"), "{html}");
}

#[test]
fn a_failure_is_named() {
    let html = rendered();
    assert!(html.contains("jemalloc: exit code 1: &lt;script&gt;"), "{html}");
    assert!(!html.contains("<script"));
}

#[test]
fn advice_is_told_with_its_places() {
    let told =
        "<li>an arena, in a&lt;b&gt;; c: saves 12.0 % of the time and -3.1 % of the peak</li>";
    assert!(rendered().contains(told), "{}", rendered());
}
