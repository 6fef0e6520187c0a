//! Advice as text.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use heapsmith_measure::metric::{Metric, show_bytes};
use heapsmith_measure::program::quote;
use heapsmith_measure::progress::counted;

use crate::advise::gain::Gain;
use crate::advise::piece::{Piece, Place};
use crate::advise::search::Advice;

pub fn print(out: &mut dyn Write, advice: &Advice) -> Result<()> {
    let whole = &advice.whole;
    writeln!(
        out,
        "{} of {} in {}{} under {}; peak {}",
        counted(advice.calls as usize, "call"),
        counted(advice.threads as usize, "thread"),
        Metric::Wall.show(whole.time_s),
        if whole.is_processor_time { " of processor time" } else { "" },
        advice.malloc,
        show_bytes(whole.peak_bytes)
    )?;
    if whole.recording_s > 0.0 {
        let recording = Metric::Wall.show(whole.recording_s);
        writeln!(
            out,
            "the time does not include the recording, which took {recording} according to a \
             replay; heapsmith record --twice measures the program without it"
        )?;
    }
    writeln!(out)?;
    say(out, advice)?;
    writeln!(out, "next: {}", next(advice))?;
    Ok(())
}

/// What pays for a command that was tried.
pub fn print_beside(out: &mut dyn Write, name: &str, advice: &Advice) -> Result<()> {
    writeln!(out, "advice for the code of {name}; the real runs compare mallocs")?;
    say(out, advice)
}

fn say(out: &mut dyn Write, advice: &Advice) -> Result<()> {
    for (n, piece) in advice.pieces.iter().enumerate() {
        write_piece(out, n + 1, piece)?;
    }
    if let Some(gain) = &advice.together {
        writeln!(out, "all together: {}\n", shown(gain))?;
    }
    for other in &advice.mallocs {
        writeln!(out, "another malloc: {}: {}", other.name, shown(&other.gain))?;
        writeln!(out, "  {}\n", other.line)?;
    }
    if advice.pieces.is_empty() && advice.mallocs.is_empty() {
        writeln!(out, "no change pays: none saves 1 % of the time or of the peak")?;
    }
    let left_out = match advice.left_out {
        0 => String::new(),
        n => {
            let changes = counted(n, "less promising change");
            format!("; not replayed: {changes} (--most N replays more)")
        }
    };
    let rivals = match advice.mallocs_tried {
        0 => String::new(),
        1 => " and 1 other malloc or setting".to_string(),
        n => format!(" and {n} other mallocs or settings"),
    };
    let changes = counted(advice.tried.len(), "change");
    writeln!(out, "replayed: {changes} of sites{rivals}{left_out}")?;
    if let Some(name) = &advice.wrapper {
        writeln!(
            out,
            "most blocks come from {name}, which allocates for its callers: the trace cannot tell \
             these callers apart"
        )?;
    }
    if let Some(line) = &advice.damage {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn command(advice: &Advice) -> String {
    let words: Vec<OsString> = advice.command.iter().map(OsString::from).collect();
    if words.is_empty() { "PROGRAM".to_string() } else { quote(&words) }
}

fn next(advice: &Advice) -> String {
    let command = command(advice);
    if advice.pieces.is_empty() {
        return format!("heapsmith try -- {command}");
    }
    format!("change the code, then heapsmith record -o new.trace -- {command}")
}

/// "time −4.1 % [−4.4, −3.8], peak +0.0 % [+0.0, +0.0]"
fn shown(gain: &Gain) -> String {
    format!("time {}, peak {}", gain.time.show(), gain.peak.show())
}

fn write_place(out: &mut dyn Write, place: &Place) -> Result<()> {
    let line = match (&place.file, place.line) {
        (Some(file), Some(line)) if !place.name.contains(&format!("{file}:{line}")) => {
            format!(", from {file}:{line}")
        }
        _ => String::new(),
    };
    writeln!(out, "   {}{line}", place.name)?;
    if let Some(source) = &place.source {
        writeln!(out, "     {source}")?;
    }
    Ok(())
}

fn write_piece(out: &mut dyn Write, number: usize, piece: &Piece) -> Result<()> {
    writeln!(out, "{number}. {}: {}", piece.title, shown(&piece.gain))?;
    for place in &piece.places {
        write_place(out, place)?;
    }
    writeln!(out, "   seen: {}", piece.seen)?;
    for line in &piece.safe_if {
        writeln!(out, "   safe if {line}")?;
    }
    writeln!(out, "   not verified: {}", piece.not_verified.join("; "))?;
    for line in piece.code.lines() {
        writeln!(out, "   | {line}")?;
    }
    writeln!(out)?;
    Ok(())
}
