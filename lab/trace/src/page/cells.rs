//! Which sites have a name on the page, and what they did over time.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::info::{Info, Site};
use crate::pyramid::{Bins, Cell};

/// The bins in which a site did something, and columns of as many numbers.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Series {
    pub at: Vec<u32>,
    pub calls: Vec<u64>,
    pub bytes: Vec<u64>,
    pub freed: Vec<u64>,
    /// Blocks that were freed, and how long they lived on average, in nanoseconds.
    pub ended: Vec<u64>,
    pub lived: Vec<u64>,
    /// Bytes allocated then, and never freed.
    pub left: Vec<u64>,
}

/// The sites to name, the largest first: as many as have `most_cells` cells together.
pub fn named(info: &Info, bins: &Bins, from_each: usize, most_cells: usize) -> Vec<u32> {
    let keys: [fn(&Site) -> u64; 4] =
        [|it| it.bytes, |it| it.calls, |it| it.peak_bytes, |it| it.left_bytes];
    let mut cells = vec![0usize; info.sites.len()];
    for (caller, _) in bins.bins.iter().flat_map(|bin| &bin.sites) {
        cells[*caller as usize] += 1;
    }
    let orders = keys.map(|key| {
        let mut order: Vec<u32> =
            (0u32..).zip(&info.sites).filter(|(_, it)| key(it) > 0).map(|(n, _)| n).collect();
        order.sort_by_key(|&n| Reverse(key(&info.sites[n as usize])));
        order
    });
    let (mut named, mut seen, mut sum) = (Vec::new(), FxHashSet::default(), 0);
    // The largest of each kind, then the second of each kind.
    for rank in 0..from_each {
        for caller in orders.iter().filter_map(|order| order.get(rank)) {
            let more = cells[*caller as usize];
            if sum + more <= most_cells && seen.insert(*caller) {
                sum += more;
                named.push(*caller);
            }
        }
    }
    named.sort_by_key(|&n| Reverse(info.sites[n as usize].bytes));
    named
}

/// The series of one site.
pub fn series(bins: &Bins, caller: u32) -> Series {
    let mut series = Series::default();
    for (n, bin) in (0u32..).zip(&bins.bins) {
        if let Ok(at) = bin.sites.binary_search_by_key(&caller, |it| it.0) {
            series.push(n, &bin.sites[at].1);
        }
    }
    series
}

/// What all sites but `named` did together.
pub fn series_of_others(bins: &Bins, named: &FxHashSet<u32>) -> Series {
    let mut series = Series::default();
    for (n, bin) in (0u32..).zip(&bins.bins) {
        let others = bin.sites.iter().filter(|(caller, _)| !named.contains(caller));
        let sum = others.map(|(_, cell)| *cell).reduce(|mut sum, cell| {
            sum.add(cell);
            sum
        });
        if let Some(cell) = sum {
            series.push(n, &cell);
        }
    }
    series
}

impl Series {
    fn push(&mut self, bin: u32, cell: &Cell) {
        self.at.push(bin);
        self.calls.push(cell.calls);
        self.bytes.push(cell.bytes);
        self.freed.push(cell.freed_bytes);
        self.ended.push(cell.ended);
        self.lived.push(rounded(cell.lived_ns / cell.ended.max(1)));
        self.left.push(cell.left_bytes);
    }
}

/// With three digits.
fn rounded(n: u64) -> u64 {
    let step = 10u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(2));
    n.saturating_add(step / 2) / step * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pyramid::Bin;

    fn bins() -> Bins {
        let cell = |calls, ended, lived_ns| Cell { calls, ended, lived_ns, ..Cell::default() };
        let first = Bin { sites: vec![(0, cell(1, 0, 0)), (2, cell(5, 2, 30))], ..Bin::default() };
        let third =
            Bin { sites: vec![(1, cell(9, 0, 0)), (2, cell(7, 1, 777_777))], ..Bin::default() };
        Bins { bin_ns: 1.0, bins: vec![first, Bin::default(), third], ..Bins::default() }
    }

    #[test]
    fn a_series_has_the_bins_in_which_something_happened() {
        let one = series(&bins(), 2);
        let calls: Vec<_> = one.at.iter().zip(&one.calls).collect();
        assert_eq!(calls, [(&0, &5), (&2, &7)]);
        assert_eq!((one.ended, one.lived), (vec![2, 1], vec![15, 778_000]));
        let two = series_of_others(&bins(), &[2].into_iter().collect());
        assert_eq!((two.at, two.calls), (vec![0, 2], vec![1, 9]));
        let both = series_of_others(&bins(), &FxHashSet::default());
        assert_eq!((both.calls, both.lived), (vec![6, 16], vec![15, 778_000]));
    }

    #[test]
    fn the_largest_of_each_kind_are_named() {
        let site = |calls, bytes, peak_bytes| Site { calls, bytes, peak_bytes, ..Site::default() };
        let sites = vec![site(1, 100, 0), site(9, 10, 0), site(5, 50, 40)];
        let info = Info { sites, ..Info::default() };
        assert_eq!(named(&info, &bins(), 1, 100), [0, 2, 1]);
        assert_eq!(named(&info, &bins(), 9, 100), [0, 2, 1]);
        // The first has one cell, the second one, and the third two.
        assert_eq!(named(&info, &bins(), 1, 3), [0, 1]);
        assert_eq!(named(&info, &bins(), 0, 100), [0u32; 0]);
    }

    #[test]
    fn three_digits_are_kept() {
        for (n, expected) in [(0, 0), (999, 999), (1004, 1000), (1005, 1010), (99_950, 100_000)] {
            assert_eq!(rounded(n), expected);
        }
    }
}
