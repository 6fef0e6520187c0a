//! The result of a search, for people: the noise, the worst ratios, and the findings as workloads.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::progress::counted;
use heapsmith_measure::table::{Cell, new_table};

use crate::args::Args;
use crate::confirm::{Judged, Outcome};
use crate::sample::{METRICS, Metric};
use crate::state::{Candidate, Fate, State};

/// The lines of the table.
const SHOWN: usize = 15;

pub fn print(out: &mut dyn Write, args: &Args, state: &State) -> Result<()> {
    let State { seed, draws, spent_s, contenders, .. } = state;
    let peers = contenders[1..].join(", ");
    let draws = counted(*draws as usize, "draw");
    let minutes = spent_s / 60.0;
    writeln!(
        out,
        "seed {seed}: {draws} in {minutes:.1} minutes, {} against {peers}",
        contenders[0]
    )?;
    print_noise(out, state)?;
    print_samples(out, state)?;
    print_worst(out, state)?;
    for failed in &state.failures {
        let label = failed.pattern.label();
        writeln!(
            out,
            "failed: draw {}, {}: {}: {label}",
            failed.draw, failed.contender, failed.why
        )?;
    }
    for (candidate, pattern, judged) in state.findings() {
        let name = format!("{seed}.{}", candidate.draw);
        write!(out, "\n{}", pattern.manifest_lines(&name, &about(candidate, judged)))?;
    }
    let findings = state.findings().count();
    let total = if findings == 0 { "no finding".to_string() } else { counted(findings, "finding") };
    writeln!(out, "\n{total}")?;
    let state = args.state.display();
    writeln!(out, "next: ./dev bench cliffs --resume --state {state}   (draws further)")?;
    Ok(())
}

/// How far apart two identical contenders were: in half of the draws, in 19 of 20, at most.
fn print_noise(out: &mut dyn Write, state: &State) -> Result<()> {
    let Some(first) = state.contenders.get(1) else { return Ok(()) };
    writeln!(out, "noise floor, {first} against itself:")?;
    for (index, metric) in METRICS.iter().enumerate() {
        let mut apart: Vec<f64> = state.noise.iter().filter_map(|draw| draw[index]).collect();
        apart.sort_by(f64::total_cmp);
        let at = |share: f64| apart.get(((apart.len() as f64 - 1.0) * share) as usize);
        if let (Some(half), Some(most), Some(all)) = (at(0.5), at(0.95), at(1.0)) {
            let title = metric.title();
            writeln!(
                out,
                "  {title:<24} ×{half:.2} in half, ×{most:.2} in 19 of 20, ×{all:.2} at most"
            )?;
        }
    }
    Ok(())
}

/// The values of a pattern that was given.
fn print_samples(out: &mut dyn Write, state: &State) -> Result<()> {
    if state.samples.is_empty() {
        return Ok(());
    }
    let mut table = new_table();
    let titles = ["", "ns per call", "instructions", "peak MiB", "freed MiB", "idle MiB"];
    table.set_header(titles.map(Cell::new));
    for (name, sample) in state.contenders.iter().zip(&state.samples) {
        let Some(sample) = sample else { continue };
        let mut cells = vec![name.clone()];
        for metric in METRICS {
            let unit = if metric.is_memory() { 1048576.0 } else { 1.0 };
            let value = sample.of(metric).map(|value| format!("{:.1}", value / unit));
            cells.push(value.unwrap_or_default());
        }
        table.add_row(cells);
    }
    writeln!(out, "{table}")?;
    Ok(())
}

fn print_worst(out: &mut dyn Write, state: &State) -> Result<()> {
    if state.candidates.is_empty() {
        return Ok(());
    }
    let mut table = new_table();
    table.set_header(["draw", "×", "metric", "peer", "further rounds", "pattern"].map(Cell::new));
    for one in state.candidates.iter().take(SHOWN) {
        let (pattern, peer, metric) = match &one.fate {
            Fate::Judged(simplest, judged) => (simplest, &judged.peer, judged.metric),
            _ => (&one.pattern, &one.peer, one.metric),
        };
        table.add_row([
            one.draw.to_string(),
            format!("{:.2}", one.ratio),
            metric.title().to_string(),
            peer.clone(),
            fate(one),
            pattern.label(),
        ]);
    }
    writeln!(out, "{table}")?;
    let titles = METRICS.map(Metric::title).join(", ");
    writeln!(out, "further rounds: ratios in {titles}")?;
    Ok(())
}

fn fate(candidate: &Candidate) -> String {
    match &candidate.fate {
        Fate::Unexamined => "not examined".to_string(),
        Fate::Gone(ratio) => format!("gone: ×{ratio:.2}"),
        Fate::SameAs(draw) => format!("as draw {draw}"),
        Fate::Judged(_, judged) => match judged.outcome {
            Outcome::Finding(_) => format!("finding: {}", ratios(judged)),
            Outcome::Paid(metric) => format!("peer pays in {}: {}", metric.title(), ratios(judged)),
            Outcome::NotConfirmed => format!("not confirmed: {}", ratios(judged)),
        },
    }
}

/// All ratios of the fresh rounds, in the order of the metrics.
fn ratios(judged: &Judged) -> String {
    let ratio = |metric: &Metric| match judged.of(*metric) {
        Some(it) => format!("{:.2}", it.median),
        None => "-".to_string(),
    };
    METRICS.iter().map(ratio).collect::<Vec<_>>().join(" ")
}

fn about(candidate: &Candidate, judged: &Judged) -> String {
    match judged.outcome {
        Outcome::Finding(metric) => {
            let ratio = judged.of(metric).map_or(candidate.ratio, |it| it.median);
            format!("a drawn pattern: ×{ratio:.2} of {} in {}", judged.peer, metric.title())
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    //! A whole page.
    use clap::Parser;

    use super::*;
    use crate::confirm::Ratio;
    use crate::pattern::Pattern;

    fn printed(outcome: Outcome) -> String {
        let mut pattern = Pattern::default();
        pattern.set("smallest", 8192);
        let metric = Metric::Time;
        let ratios = vec![Ratio { metric, median: 3.3, low: 3.1, high: 3.5 }];
        let peer = "glibc".to_string();
        let fate =
            Fate::Judged(pattern.clone(), Judged { peer: peer.clone(), metric, ratios, outcome });
        let candidate = Candidate { draw: 4, pattern, peer, metric, ratio: 3.0, fate };
        let state = State {
            seed: 7,
            draws: 5,
            spent_s: 90.0,
            contenders: vec!["heapsmith 0.1".into(), "glibc 2.36".into()],
            candidates: vec![candidate],
            noise: vec![[Some(1.1), None, None, None, None]],
            ..State::default()
        };
        let mut out = Vec::new();
        print(&mut out, &Args::parse_from(["cliffs"]), &state).expect("printed");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_finding_is_printed_as_a_workload() {
        let text = printed(Outcome::Finding(Metric::Time));
        assert!(
            text.starts_with("seed 7: 5 draws in 1.5 minutes, heapsmith 0.1 against glibc 2.36\n")
        );
        assert!(text.contains("time per call            ×1.10 in half"), "{text}");
        assert!(
            text.contains("params = { drawn = \"7.4\" }\nthreads = [1]\nrests = [1]\n"),
            "{text}"
        );
        assert!(
            text.contains("about = \"a drawn pattern: ×3.30 of glibc in time per call\""),
            "{text}"
        );
        assert!(text.contains("\n1 finding\nnext: "), "{text}");
    }

    #[test]
    fn what_is_not_confirmed_is_no_finding() {
        let text = printed(Outcome::Paid(Metric::PeakRss));
        assert!(
            text.contains("peer pays in peak RSS") && text.contains("\nno finding\n"),
            "{text}"
        );
    }
}
