//! Shrinks a pattern to few settings.

use anyhow::Result;

use crate::pattern::{KNOBS, Pattern};

/// Each trial runs the program several times.
const MAX_TRIALS: usize = 60;
/// Amounts, of which one digit is enough.
const ROUNDED: [&str; 7] =
    ["slots", "calls", "burst", "smallest", "largest", "next-smallest", "next-largest"];

/// A pattern with fewer settings, or rounder ones, that still `holds`.
pub fn shrink(
    pattern: &Pattern,
    mut holds: impl FnMut(&Pattern) -> Result<bool>,
) -> Result<Pattern> {
    let mut best = pattern.clone();
    let mut trials = 0;
    loop {
        let before = best.clone();
        for step in steps() {
            let simpler = step(&best);
            if simpler == best || !is_simpler(&simpler, &best) {
                continue;
            }
            if trials == MAX_TRIALS {
                return Ok(best);
            }
            trials += 1;
            if holds(&simpler)? {
                best = simpler;
            }
        }
        if best == before {
            return Ok(best);
        }
    }
}

/// Steps that only reach for a rounder value may not add a setting: fitting could.
fn is_simpler(simpler: &Pattern, than: &Pattern) -> bool {
    simpler.count() <= than.count()
}

type Step = Box<dyn Fn(&Pattern) -> Pattern>;

fn steps() -> Vec<Step> {
    let mut all: Vec<Step> = Vec::new();
    for knob in &KNOBS {
        all.push(Box::new(|pattern| pattern.without(knob.name)));
    }
    for name in ["threads", "phases"] {
        all.push(Box::new(move |pattern| pattern.with(name, pattern.number(name).min(2))));
    }
    all.push(Box::new(|pattern| pattern.with("largest", pattern.number("smallest"))));
    all.push(Box::new(|pattern| pattern.with("smallest", pattern.number("largest"))));
    all.push(Box::new(|pattern| pattern.with("next-largest", pattern.number("next-smallest"))));
    all.push(Box::new(|pattern| pattern.with("next-smallest", pattern.number("next-largest"))));
    for name in ROUNDED {
        all.push(Box::new(move |pattern| match pattern.is_simplest(name) {
            true => pattern.clone(),
            false => pattern.with(name, rounded(pattern.number(name))),
        }));
    }
    all
}

/// The number with its first digit alone.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.max(1).ilog10());
    number / unit * unit
}

#[cfg(test)]
mod tests {
    //! Conditions in place of runs.
    use super::*;

    fn pattern(settings: &[(&str, &str)]) -> Pattern {
        let mut all = Pattern::default();
        for (name, value) in settings {
            all.set(name, value);
        }
        all
    }

    #[test]
    fn what_does_not_matter_goes() {
        let drawn = pattern(&[
            ("smallest", "41234"),
            ("largest", "98765"),
            ("threads", "7"),
            ("cross", "50"),
            ("order", "random"),
            ("phases", "5"),
            ("keep", "10"),
            ("slots", "345"),
        ]);
        let needs = |it: &Pattern| Ok(it.number("largest") >= 40_000 && it.number("threads") > 1);
        let shrunk = shrink(&drawn, needs).expect("no run fails");
        assert_eq!(shrunk.word("threads"), "2");
        assert_eq!(shrunk.word("order"), "stack");
        assert!(shrunk.count() <= 3, "{}", shrunk.label());
        assert!(needs(&shrunk).expect("no run"));
    }

    #[test]
    fn the_number_of_trials_is_bounded() {
        let drawn = pattern(&[("slots", "345"), ("order", "random"), ("burst", "7")]);
        let mut trials = 0;
        let shrunk = shrink(&drawn, |_| {
            trials += 1;
            Ok(false)
        });
        assert_eq!(shrunk.expect("no run fails"), drawn);
        assert!(trials <= MAX_TRIALS);
    }

    #[test]
    fn trials_end_even_if_they_still_succeed() {
        let drawn = crate::draw::draw(&mut crate::random::Random::of_draw(1, 1))
            .with("threads", 77)
            .with("phases", 9)
            .with("burst", 999)
            .with("next-smallest", 7777)
            .with("next-largest", 88_888)
            .with("realloc", 20)
            .with("calloc", 50);
        let mut trials = 0;
        let mut last = 0;
        // One trial in twelve holds, so one pass over the steps follows another.
        let shrunk = shrink(&drawn, |it| {
            trials += 1;
            last = it.count();
            Ok(trials % 12 == 0)
        });
        let shrunk = shrunk.expect("no run fails");
        assert!(trials <= MAX_TRIALS, "{trials}");
        assert!(last > 0 && shrunk.count() <= drawn.count() && shrunk != drawn);
    }

    #[test]
    fn one_digit_is_kept() {
        assert_eq!([rounded(98_765), rounded(8), rounded(100)], [90_000, 8, 100]);
    }
}
