//! The words of a verdict: shares, factors, lists, and what a contender takes more or less of.

use super::compare::{Compared, Effect};
use super::goal::Goal;
use super::judgement::Outcome;

/// "12 %", "0.6 %".
pub fn percent(share: f64) -> String {
    let hundredths = 100.0 * share;
    match hundredths {
        _ if !hundredths.is_finite() => "any amount".to_string(),
        _ if hundredths >= 9.95 => format!("{hundredths:.0} %"),
        _ => format!("{hundredths:.1} %"),
    }
}

/// "12 % less peak memory", "2.5 times the time".
pub fn change(ratio: f64, noun: &str) -> String {
    match ratio {
        _ if ratio < 1.0 => format!("{} less {noun}", percent(1.0 - ratio)),
        _ if ratio >= 10.0 => format!("{ratio:.0} times the {noun}"),
        _ if ratio >= 1.995 => format!("{ratio:.1} times the {noun}"),
        _ => format!("{} more {noun}", percent(ratio - 1.0)),
    }
}

/// "a, b and c".
pub fn list<S: AsRef<str>>(items: &[S], last: &str) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// "(×0.880 [0.860, 0.900])".
pub fn evidence(effect: &Effect) -> String {
    effect.interval.map_or(String::new(), |interval| format!(" ({interval})"))
}

/// A contender's gains alone: "12 % less time than as-built".
pub fn gains_of(table: &Compared, contender: &str, first: Goal) -> String {
    let is_gain = |one: &&Effect| one.goal.decides() && one.outcome == Outcome::Better;
    let mut gains: Vec<&Effect> = table.of_contender(contender).filter(is_gain).collect();
    gains.sort_by_key(|effect| (effect.goal != first, effect.goal));
    let each = gains.iter().filter_map(|one| Some(change(one.median?, one.goal.noun())));
    format!("{} than {}", list(&each.collect::<Vec<_>>(), "and"), table.baseline)
}

/// "12 % less processor time than as-built".
pub fn change_of(table: &Compared, effect: &Effect) -> String {
    let change = change(effect.median.unwrap_or(1.0), effect.goal.noun());
    format!("{change} than {}", table.baseline)
}

/// A contender's losses: ", but 40 % more peak memory", or nothing.
pub fn losses_of(table: &Compared, contender: &str) -> String {
    let is_loss = |one: &&Effect| one.goal.decides() && one.outcome == Outcome::Worse;
    let losses = table.of_contender(contender).filter(is_loss);
    let each = losses.filter_map(|one| Some(change(one.median?, one.goal.noun())));
    let losses = list(&each.collect::<Vec<_>>(), "and");
    if losses.is_empty() { losses } else { format!(", but {losses}") }
}

/// A contender's gains, its losses, the goals without a difference and the unclear ones:
/// "12 % less time than as-built, but 40 % more peak memory".
pub fn effects_of(table: &Compared, contender: &str, first: Goal) -> String {
    let mut effects: Vec<&Effect> =
        table.of_contender(contender).filter(|effect| effect.goal.decides()).collect();
    effects.sort_by_key(|effect| (effect.goal != first, effect.goal));
    let of = |outcome: Outcome| effects.iter().filter(move |effect| effect.outcome == outcome);
    let changes = |outcome: Outcome| {
        let each =
            of(outcome).filter_map(|effect| Some(change(effect.median?, effect.goal.noun())));
        list(&each.collect::<Vec<_>>(), "and")
    };
    let (gains, losses) = (changes(Outcome::Better), changes(Outcome::Worse));
    let than = table.baseline;
    let mut clause = match (gains.is_empty(), losses.is_empty()) {
        (false, true) => format!("{gains} than {than}"),
        (false, false) => format!("{gains} than {than}, but {losses}"),
        (true, false) => format!("{losses} than {than}"),
        (true, true) => String::new(),
    };
    let noun = |effect: &&Effect| effect.goal.noun();
    let is_wide = |one: &&Effect| one.possible_gain().max(one.possible_loss()) > one.widest;
    let (wide, narrow): (Vec<&Effect>, Vec<&Effect>) =
        of(Outcome::Unclear).partition(|effect| is_wide(effect));
    let level: Vec<&str> = of(Outcome::Equal).chain(&narrow).map(noun).collect();
    if !level.is_empty() {
        clause += &format!(", with no measurable difference in {}", list(&level, "or"));
    }
    let wide: Vec<&str> = wide.iter().map(noun).collect();
    if !wide.is_empty() {
        clause += &format!(" (unclear: its {})", list(&wide, "and"));
    }
    clause
}
