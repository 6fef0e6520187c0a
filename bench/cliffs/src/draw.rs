//! Draws patterns at random, and changes known ones.

use crate::fit::fit;
use crate::pattern::{KNOBS, Pattern};
use crate::random::Random;

/// The kinds of sizes, with how many in a hundred draws have them: the least and the largest size.
const SIZES: [(u64, u64, u64); 5] = [
    (40, 8, 1024),
    (20, 1024, 32 << 10),
    (15, 8, 256 << 10),
    (17, 32 << 10, 4 << 20),
    (8, 4 << 20, 64 << 20),
];

const MOST_THREADS: u64 = 300;

/// A fresh pattern.
pub fn draw(random: &mut Random) -> Pattern {
    let mut pattern = Pattern::default();
    let (smallest, largest) = sizes(random);
    pattern.set("smallest", smallest);
    pattern.set("largest", largest);
    pattern.set("spread", random.one_of(&["log", "log", "uniform", "pareto"]));
    pattern.set("slots", random.scaled(1, 300_000));
    let replaces = random.percent(90);
    pattern.set("calls", if replaces { 100_000_000 } else { 0 });
    pattern.set("order", random.one_of(&["stack", "queue", "random", "young"]));
    if random.percent(50) {
        pattern.set("burst", random.scaled(2, 2048));
    }
    pattern.set("sweep", random.one_of(&["forward", "backward", "random"]));
    pattern.set("touch", random.one_of(&["ends", "ends", "ends", "pages", "whole"]));
    draw_threads(random, &mut pattern);
    draw_phases(random, &mut pattern);
    draw_calls(random, &mut pattern);
    fit(&mut pattern);
    pattern
}

/// A known pattern that grows, or one with a few settings of a fresh one.
pub fn vary(random: &mut Random, known: &Pattern) -> Pattern {
    let fresh = draw(random);
    let mut varied = known.clone();
    match random.below(100) {
        0..15 => varied.set("slots", known.number("slots") * 10),
        15..30 => varied.set("threads", (known.number("threads") * 4).min(MOST_THREADS)),
        _ => {
            for _ in 0..=random.below(3) {
                let knob = KNOBS[random.below(KNOBS.len())].name;
                varied.take(knob, &fresh);
            }
        }
    }
    varied.set("calls", if varied.number("calls") == 0 { 0 } else { 100_000_000 });
    fit(&mut varied);
    varied
}

fn sizes(random: &mut Random) -> (u64, u64) {
    let mut at = random.below(100) as u64;
    let kind = SIZES.iter().find(|(share, ..)| {
        let found = at < *share;
        at = at.saturating_sub(*share);
        found
    });
    let (_, least, most) = kind.copied().unwrap_or(SIZES[0]);
    let [one, other] = [random.scaled(least, most), random.scaled(least, most)];
    if random.percent(35) { (one, one) } else { (one.min(other), one.max(other)) }
}

fn draw_threads(random: &mut Random, pattern: &mut Pattern) {
    let threads = match random.below(100) {
        0..45 => return,
        45..75 => 2,
        75..92 => random.scaled(3, 16),
        _ => random.scaled(17, MOST_THREADS),
    };
    pattern.set("threads", threads);
    if random.percent(50) {
        pattern.set("cross", random.one_of(&[1, 10, 50, 100]));
    }
    pattern.set("renew", u64::from(random.percent(25)));
}

fn draw_phases(random: &mut Random, pattern: &mut Pattern) {
    if random.percent(45) {
        return;
    }
    pattern.set("phases", random.scaled(2, 10));
    if random.percent(60) {
        pattern.set("keep", random.one_of(&[1, 5, 10, 25, 50, 75, 95]));
    }
    if random.percent(50) {
        let (smallest, largest) = sizes(random);
        pattern.set("next-smallest", smallest);
        pattern.set("next-largest", largest);
    }
    if random.percent(20) {
        pattern.set("pause-ms", random.scaled(5, 1200));
    }
    pattern.set("rotate", u64::from(random.percent(30)));
}

/// Calls beside malloc and free.
fn draw_calls(random: &mut Random, pattern: &mut Pattern) {
    if random.percent(20) {
        pattern.set("realloc", random.one_of(&[5, 20, 50, 100]));
        pattern.set("resizing", random.one_of(&["redrawn", "growing", "shrinking", "steps"]));
    }
    if random.percent(20) {
        pattern.set("calloc", random.one_of(&[10, 50, 100]));
    }
    if random.percent(15) {
        pattern.set("trickle", random.one_of(&[10, 100, 1000]));
    }
    if random.percent(15) {
        pattern.set("aligned", random.one_of(&[10, 50, 100]));
        pattern.set("alignment", 1_u64 << (5 + random.below(16)));
    }
}

#[cfg(test)]
mod tests {
    //! Draws repeat, differ, and use every setting.
    use super::*;

    fn drawn(index: u64) -> Pattern {
        draw(&mut Random::of_draw(42, index))
    }

    #[test]
    fn draws_repeat_and_differ() {
        assert_eq!(drawn(5), drawn(5));
        assert_ne!(drawn(5), drawn(6));
    }

    #[test]
    fn every_setting_is_drawn() {
        for knob in KNOBS {
            let used = (0..300).filter(|index| !drawn(*index).is_simplest(knob.name)).count();
            assert!(used > 5, "{}: {used}", knob.name);
        }
    }

    #[test]
    fn every_kind_of_size_has_its_share() {
        let mut random = Random::of_draw(7, 7);
        let drawn: Vec<(u64, u64)> = (0..2000).map(|_| sizes(&mut random)).collect();
        for (share, least, most) in SIZES {
            let within = |it: &&(u64, u64)| it.0 >= least && it.1 <= most;
            let count = drawn.iter().filter(within).count() as u64;
            assert!(count >= 20 * share * 7 / 10, "{least} to {most}: {count} of 2000");
        }
    }

    #[test]
    fn some_varied_patterns_grow() {
        let mut known = Pattern::default();
        known.set("threads", 2);
        known.set("slots", 300);
        let varied: Vec<Pattern> =
            (0..200).map(|index| vary(&mut Random::of_draw(3, index), &known)).collect();
        let count =
            |name: &str, value: u64| varied.iter().filter(|it| it.number(name) == value).count();
        assert!(count("slots", 3000) > 10 && count("threads", 8) > 10);
    }

    #[test]
    fn a_varied_pattern_keeps_most_of_the_known_one() {
        for index in 0..100 {
            let known = drawn(index);
            let varied = vary(&mut Random::of_draw(1, index), &known);
            let changed = KNOBS.iter().filter(|it| varied.word(it.name) != known.word(it.name));
            assert!(changed.count() <= 8, "{} and {}", known.label(), varied.label());
        }
    }
}
