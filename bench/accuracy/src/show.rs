//! The tables.

use std::fmt::Write;

use heapsmith_measure::machine::Machine;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::predict::{Agreement, Foretold, Pair, Quantity, foretell, pairs, tau};
use heapsmith_measure::row::Row;
use heapsmith_measure::stats;

use crate::controls::Control;

/// One case.
pub struct Judged {
    pub name: String,
    pub pairs: Vec<Pair>,
    pub foretold: Vec<Foretold>,
}

impl Judged {
    pub fn of(name: &str, real: &Row, replay: &Row, baseline: &str) -> Self {
        Self {
            name: name.to_string(),
            pairs: pairs(real, replay, baseline),
            foretold: foretell(real, replay, baseline),
        }
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_string(), |share| format!("{:.0} %", share * 100.0))
}

/// The errors of predicted peaks, as shares of the real ones: of those that are steady, and of those
/// that vary from run to run.
#[derive(Default)]
struct PeakErrors {
    steady: Vec<f64>,
    varying: Vec<f64>,
}

impl PeakErrors {
    fn of(judged: &[Judged]) -> Self {
        let mut errors = Self::default();
        let all = judged.iter().flat_map(|case| &case.foretold);
        for it in all.filter(|it| it.quantity == Quantity::Peak && it.real > 0.0) {
            let kind = if it.varies { &mut errors.varying } else { &mut errors.steady };
            kind.push((it.predicted / it.real - 1.0).abs());
        }
        errors
    }

    fn worst(errors: &[f64]) -> f64 {
        errors.iter().copied().fold(0.0, f64::max)
    }
}

struct Totals {
    quantity: Quantity,
    agreement: Agreement,
    tau: Option<f64>,
}

fn totals(judged: &[Judged]) -> Vec<Totals> {
    let of = |quantity| {
        let agreement = Agreement::of(judged.iter().flat_map(|case| &case.pairs), quantity);
        let each: Vec<f64> =
            judged.iter().filter_map(|case| tau(&case.foretold, quantity)).collect();
        Totals { quantity, agreement, tau: stats::median(&each) }
    };
    Quantity::ALL.map(of).into_iter().collect()
}

/// The targets: a line for each, and whether it is met.
fn targets(judged: &[Judged], controls: &[Control]) -> Vec<(bool, String)> {
    let mut all = Vec::new();
    for it in totals(judged) {
        let least = if it.quantity == Quantity::Peak { 0.95 } else { 0.90 };
        let title = it.quantity.title();
        let share = it.agreement.share().unwrap_or(0.0);
        all.push((
            share >= least,
            format!(
                "{title}: the order agrees in {:.1} % (at least {:.0})",
                share * 100.0,
                least * 100.0
            ),
        ));
        let undecided = it.agreement.undecided as f64 / it.agreement.pairs.max(1) as f64;
        all.push((
            undecided <= 0.15,
            format!("{title}: cannot decide {:.1} % (at most 15)", undecided * 100.0),
        ));
    }
    let errors = PeakErrors::of(judged);
    let median = stats::median(&errors.steady).unwrap_or(1.0);
    let worst = PeakErrors::worst(&errors.steady);
    all.push((
        median <= 0.05,
        format!("error of the peak: median {:.1} % (at most 5)", median * 100.0),
    ));
    all.push((
        worst <= 0.10,
        format!("error of the peak: worst {:.1} % (at most 10)", worst * 100.0),
    ));
    let held = controls.iter().filter(|control| control.holds).count();
    all.push((
        held == controls.len(),
        format!("controls: {held} of {} rank as they must", controls.len()),
    ));
    all
}

pub fn targets_are_met(judged: &[Judged], controls: &[Control]) -> bool {
    targets(judged, controls).iter().all(|(met, _)| *met)
}

/// The pairs whose order differs.
fn wrong(judged: &[Judged]) -> Vec<String> {
    let mut lines = Vec::new();
    for case in judged {
        for pair in case.pairs.iter().filter(|pair| pair.agrees() == Some(false)) {
            let (Some(real), Some(replayed)) = (pair.real, pair.replayed) else { continue };
            lines.push(format!(
                "{}, {}: {} / {} is {real:.3}, the replay says {:+.1} % of the program",
                case.name,
                pair.quantity.title(),
                pair.left,
                pair.right,
                replayed * 100.0
            ));
        }
    }
    lines
}

fn case_cells(case: &Judged) -> Vec<String> {
    let mut cells = vec![case.name.clone()];
    for quantity in Quantity::ALL {
        let it = Agreement::of(&case.pairs, quantity);
        cells.push(format!("{}/{}/{}", it.agree, it.pairs - it.undecided, it.pairs));
        let tau = tau(&case.foretold, quantity);
        cells.push(tau.map_or("–".to_string(), |tau| format!("{tau:.2}")));
    }
    let one = std::slice::from_ref(case);
    let errors = PeakErrors::of(one);
    cells.push(format!("{:.1} %", stats::median(&errors.steady).unwrap_or(0.0) * 100.0));
    cells.push(format!("{:.1} %", PeakErrors::worst(&errors.steady) * 100.0));
    cells.push(errors.varying.len().to_string());
    cells
}

const HEADS: [&str; 10] =
    ["program", "time", "tau", "CPU time", "tau", "peak", "tau", "peak error", "worst", "varying"];

pub fn text(judged: &[Judged], controls: &[Control]) -> String {
    let mut out = String::new();
    let rows: Vec<Vec<String>> = judged.iter().map(case_cells).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADS[column].len()]).max().unwrap_or(0)
    };
    let line = |cells: &[String]| {
        let padded = cells.iter().enumerate().map(|(n, cell)| format!("{cell:<w$}", w = width(n)));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let _ = writeln!(out, "{}", line(&HEADS.map(str::to_string)));
    for row in &rows {
        let _ = writeln!(out, "{}", line(row));
    }
    let _ = writeln!(out, "\nagree / decided by the replay / ordered by the real runs\n");
    out += &summary(judged, controls, "");
    out
}

fn summary(judged: &[Judged], controls: &[Control], bullet: &str) -> String {
    let mut out = String::new();
    for it in totals(judged) {
        let Agreement { pairs, undecided, agree } = it.agreement;
        let _ = writeln!(
            out,
            "{bullet}{}: of {pairs} pairs with an order, {undecided} cannot be decided; the others \
             agree in {agree} ({}), and if undecided ones count as wrong, {}; median tau {:.2}",
            it.quantity.title(),
            percent(it.agreement.share()),
            percent(it.agreement.share_of_all()),
            it.tau.unwrap_or(0.0)
        );
    }
    let PeakErrors { steady, varying } = PeakErrors::of(judged);
    let _ = writeln!(
        out,
        "{bullet}{} of {} peaks vary by more than a tenth from run to run, really or in the replay; \
         their worst error is {:.1} %. Targets are about the others",
        varying.len(),
        varying.len() + steady.len(),
        PeakErrors::worst(&varying) * 100.0
    );
    for (met, line) in targets(judged, controls) {
        let _ = writeln!(out, "{bullet}{}: {line}", if met { "met" } else { "missed" });
    }
    for control in controls {
        let Control { case, what, holds, seen } = control;
        let word = if *holds { "holds" } else { "FAILS" };
        let _ = writeln!(out, "{bullet}control on {case}: {what}: {word} ({seen})");
    }
    for line in wrong(judged) {
        let _ = writeln!(out, "{bullet}wrong: {line}");
    }
    out
}

/// A list item in lines of at most 100 characters.
fn wrapped(line: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in line.split(' ') {
        let more = word.chars().count() + 1;
        if length + more > 100 {
            out += "\n ";
            length = 1;
        }
        if length > 0 {
            out.push(' ');
        }
        out += word;
        length += more;
    }
    out
}

/// A page for docs/results.
pub fn markdown(judged: &[Judged], controls: &[Control]) -> String {
    let machine = Machine::look();
    let mut out = format!(
        "# How often replays are right\n\n\
         `./dev bench accuracy --markdown docs/results/accuracy.md` wrote this page, on {} CPUs of\n\
         an {}, Linux {}, {}. [The method](../../bench/accuracy/README.md).\n\n\
         Each cell of an order has three counts: pairs in which the replay agrees, pairs that it\n\
         decides, pairs to which the real runs give an order. Tau compares all medians.\n\n",
        machine.cpus, machine.cpu, machine.kernel, machine.libc
    );
    let _ = writeln!(out, "| {} |", HEADS.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(HEADS.len()));
    for case in judged {
        let _ = writeln!(out, "| {} |", case_cells(case).join(" | "));
    }
    let _ = writeln!(out);
    for line in summary(judged, controls, "- ").lines() {
        let _ = writeln!(out, "{}", wrapped(line));
    }
    let _ = writeln!(out, "\n| program | allocator | time | foretold | peak | foretold |");
    let _ = writeln!(out, "|---|---|---|---|---|---|");
    for case in judged {
        for time in case.foretold.iter().filter(|it| it.quantity == Quantity::Time) {
            let is_its =
                |it: &&Foretold| it.quantity == Quantity::Peak && it.contender == time.contender;
            let Some(peak) = case.foretold.iter().find(is_its) else { continue };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                case.name,
                time.contender,
                Metric::Wall.show(time.real),
                Metric::Wall.show(time.predicted),
                Metric::PeakRss.show(peak.real),
                Metric::PeakRss.show(peak.predicted) + if peak.varies { ", varies" } else { "" }
            );
        }
    }
    out
}
