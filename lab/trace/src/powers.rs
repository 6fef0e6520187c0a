//! Counts of sizes and of times by powers of two, and the clock of a trace.

/// Entry `n` counts values from 2^(n-1) up to 2^n - 1; entry 0 zeros.
pub type ByPower = Vec<u64>;

pub(crate) fn count(into: &mut ByPower, n: u64) {
    add(into, (64 - n.leading_zeros()) as usize, 1);
}

fn add(into: &mut ByPower, power: usize, n: u64) {
    if into.len() <= power {
        into.resize(power + 1, 0);
    }
    into[power] += n;
}

pub(crate) fn add_all(into: &mut ByPower, others: &ByPower) {
    for (power, &n) in others.iter().enumerate().filter(|(_, n)| **n != 0) {
        add(into, power, n);
    }
}

/// Counts of ticks as counts of nanoseconds. The middle of a power stands for all of it.
pub(crate) fn in_ns(ticks: &ByPower, ns: impl Fn(u64) -> u64) -> ByPower {
    let mut scaled = ByPower::new();
    for (power, &n) in ticks.iter().enumerate().filter(|(_, n)| **n != 0) {
        let middle = if power < 2 { power as u64 } else { 3 << (power - 2) };
        add(&mut scaled, (64 - ns(middle).leading_zeros()) as usize, n);
    }
    scaled
}

/// Turns ticks into nanoseconds.
pub(crate) fn clock(ticks_a_ns: f64) -> impl Fn(u64) -> u64 {
    move |ticks| if ticks_a_ns > 0.0 { (ticks as f64 / ticks_a_ns) as u64 } else { 0 }
}
