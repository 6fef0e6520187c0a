//! Two traces of one program, compared by site.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::info::{Info, Site};
use crate::packed::{Caller, Module, Tables};
use crate::symbols::{Symbols, file_name};

/// A number before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    pub old: u64,
    pub new: u64,
}

impl Change {
    /// The growth as a share of `whole`; infinite if that is nothing.
    pub fn growth_of(self, whole: u64) -> f64 {
        match self.new as f64 - self.old as f64 {
            0.0 => 0.0,
            growth => growth / whole as f64,
        }
    }

    pub fn growth(self) -> f64 {
        self.growth_of(self.old)
    }
}

/// The numbers of a site, or of the whole program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Numbers {
    pub calls: Change,
    pub bytes: Change,
    pub peak_bytes: Change,
    pub left_bytes: Change,
}

impl Numbers {
    pub const NAMES: [&str; 4] = ["calls", "bytes", "peak", "never freed"];

    /// In the order of NAMES.
    pub fn all(&self) -> [Change; 4] {
        [self.calls, self.bytes, self.peak_bytes, self.left_bytes]
    }
}

/// The sites of one name.
#[derive(Clone, Debug, Serialize)]
pub struct OfSite {
    pub name: String,
    #[serde(flatten)]
    pub numbers: Numbers,
}

#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    pub whole: Numbers,
    /// By name.
    pub sites: Vec<OfSite>,
}

/// A trace that was summed up.
pub type Summed<'a> = (&'a Info, &'a Tables);

impl Changes {
    /// Sites of equal names are one: lines move from one version of a program to the next, so names
    /// have none. Where no symbol is known, offsets count only if both traces have the same file.
    pub fn of(old: Summed, new: Summed) -> Self {
        let mut sites: FxHashMap<String, Numbers> = FxHashMap::default();
        add(&mut sites, old, new.1, |change| &mut change.old);
        add(&mut sites, new, old.1, |change| &mut change.new);
        let sites = sites.into_iter().map(|(name, numbers)| OfSite { name, numbers });
        let mut sites: Vec<OfSite> = sites.collect();
        sites.sort_by(|a, b| a.name.cmp(&b.name));
        let of = |number: fn(&Info) -> u64| Change { old: number(old.0), new: number(new.0) };
        let whole = Numbers {
            calls: of(|it| it.allocated_blocks),
            bytes: of(|it| it.allocated_bytes),
            peak_bytes: of(|it| it.peak_bytes),
            left_bytes: of(|it| it.left_bytes),
        };
        Self { whole, sites }
    }

    /// The sites one of whose numbers changed by at least this share of the program's, the largest
    /// changes first.
    pub fn largest(&self, least: f64) -> Vec<&OfSite> {
        let of = |site: &OfSite| self.weight(site);
        let mut sites: Vec<&OfSite> = self.sites.iter().filter(|it| of(it) >= least).collect();
        sites.sort_by(|a, b| of(b).total_cmp(&of(a)).then_with(|| a.name.cmp(&b.name)));
        sites
    }

    /// The largest growth or loss of a site's numbers, as a share of the program's.
    fn weight(&self, site: &OfSite) -> f64 {
        let pairs = site.numbers.all().into_iter().zip(self.whole.all());
        let shares = pairs.map(|(change, whole)| change.growth_of(whole.old.max(whole.new)).abs());
        shares.fold(0.0, f64::max)
    }
}

fn add(
    sites: &mut FxHashMap<String, Numbers>,
    (info, tables): Summed,
    others: &Tables,
    side: fn(&mut Change) -> &mut u64,
) {
    let mut symbols = Symbols::default();
    let callers = info.sites.iter().zip(&tables.callers);
    for (site, caller) in callers.filter(|(site, _)| **site != Site::default()) {
        let name = stable_name(caller, &tables.modules, &others.modules, &mut symbols);
        let numbers = sites.entry(name).or_default();
        for (change, more) in [
            (&mut numbers.calls, site.calls),
            (&mut numbers.bytes, site.bytes),
            (&mut numbers.peak_bytes, site.peak_bytes),
            (&mut numbers.left_bytes, site.left_bytes),
        ] {
            let sum = side(change);
            *sum = sum.saturating_add(more);
        }
    }
}

/// A name that another version of the program may have, too.
fn stable_name(
    caller: &Caller,
    modules: &[Module],
    others: &[Module],
    symbols: &mut Symbols,
) -> String {
    let name = symbols.name(modules, caller);
    let Some(module) = caller.module.and_then(|n| modules.get(n as usize)) else { return name };
    if !symbols.frames(modules, caller).is_empty() {
        return without_line(&name).to_string();
    }
    if others.iter().any(|it| it == module) {
        return name;
    }
    let file = module.shown();
    format!("{}, which has no symbols", file_name(&file))
}

/// "f at a.c:12" becomes "f at a.c".
fn without_line(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((before, line)) if line.bytes().all(|it| it.is_ascii_digit()) => before,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(names: &[(&str, u64)]) -> (Info, Tables) {
        let site = |&(_, bytes): &(&str, u64)| Site { calls: 1, bytes, ..Site::default() };
        let caller = |&(name, _): &(&str, u64)| Caller {
            module: None,
            offset: 0,
            name: Some(name.to_string()),
        };
        let sites: Vec<Site> = names.iter().map(site).collect();
        let allocated_bytes = sites.iter().map(|it| it.bytes).sum();
        let info = Info { sites, allocated_bytes, ..Info::default() };
        (info, Tables { callers: names.iter().map(caller).collect(), ..Tables::default() })
    }

    #[test]
    fn sites_are_compared_by_name() {
        let old = trace(&[("f", 100), ("g", 50), ("f", 20)]);
        let new = trace(&[("h", 7), ("f", 180)]);
        let changes = Changes::of((&old.0, &old.1), (&new.0, &new.1));
        let told = changes.sites.iter().map(|it| (&it.name[..], it.numbers.bytes));
        let change = |old, new| Change { old, new };
        let expected = [("f", change(120, 180)), ("g", change(50, 0)), ("h", change(0, 7))];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert_eq!(changes.whole.bytes, change(170, 187));
        assert!((changes.whole.bytes.growth() - 0.1).abs() < 1e-12);
        assert_eq!(change(0, 0).growth(), 0.0);
        assert_eq!(change(0, 5).growth(), f64::INFINITY);
    }

    #[test]
    fn lines_are_no_part_of_a_name() {
        assert_eq!(without_line("f(int) at a.cc:12"), "f(int) at a.cc");
        assert_eq!(without_line("std::f in libx.so"), "std::f in libx.so");
        assert_eq!(without_line("python3.11+0x12"), "python3.11+0x12");
    }
}
