//! Allocators with a known fault. A replay that does not rank them so measures nothing.

use anyhow::Result;
use heapsmith_measure::error::environment;
use heapsmith_measure::place::Lab;
use heapsmith_measure::predict::{Pair, Quantity, pairs};
use heapsmith_measure::row::Row;

use crate::cases::BASELINE;

const FAULTS: [&str; 4] = ["plain", "slow", "leaky", "fresh"];

/// A property that a replay must show, and whether it did.
pub struct Control {
    pub case: String,
    pub what: &'static str,
    pub holds: bool,
    pub seen: String,
}

/// The values of --alloc.
pub fn allocators(lab: &Lab) -> Result<Vec<String>> {
    let mut all = vec![BASELINE.to_string()];
    for fault in FAULTS {
        let library = lab.build().join(format!("lab/libcontrol_{fault}.so"));
        if !library.is_file() {
            return Err(environment(format!("no {}: build it first", library.display())));
        }
        all.push(format!("{fault}={}", library.display()));
    }
    Ok(all)
}

pub fn judge(case: &str, real: &Row, replay: &Row) -> Vec<Control> {
    let pairs = pairs(real, replay, BASELINE);
    let of = |left: &str, right: &str, quantity| {
        let is_it = |it: &&Pair| {
            it.quantity == quantity
                && [(left, right), (right, left)].contains(&(it.left.as_str(), it.right.as_str()))
        };
        let pair = pairs.iter().find(is_it)?;
        let sign = if pair.left == left { 1.0 } else { -1.0 };
        pair.replayed.map(|share| share * sign)
    };
    let seen = |share: Option<f64>| match share {
        Some(share) => format!("{:+.1} % of the program", share * 100.0),
        None => "no difference".to_string(),
    };
    let mut all = Vec::new();
    let mut add = |what, left, right, quantity, expected: fn(Option<f64>) -> bool| {
        let share = of(left, right, quantity);
        let holds = expected(share);
        all.push(Control { case: case.to_string(), what, holds, seen: seen(share) });
    };
    let (time, peak) = (Quantity::ProcessorTime, Quantity::Peak);
    add("the same allocator twice ties in time", "plain", BASELINE, time, |it| {
        it.is_none_or(|share| share.abs() < 0.03)
    });
    add("the same allocator twice ties in memory", "plain", BASELINE, peak, |it| it.is_none());
    add("20 ns more are slower", "slow", "plain", time, |it| it.is_some_and(|share| share > 0.0));
    add("a leak of one block in ten is larger", "leaky", "plain", peak, |it| {
        it.is_some_and(|share| share > 0.0)
    });
    add("no reuse is larger", "fresh", "leaky", peak, |it| it.is_some_and(|share| share > 0.0));
    all
}
