//! Stacks as text, for flame graphs: a line has the names from the outermost function on, and the
//! bytes that were allocated.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::Profile;

/// The format has no way to write `;` and line ends.
fn clean(name: &str) -> String {
    name.replace(';', ":").replace(['\n', '\r'], " ")
}

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut sums: FxHashMap<String, u64> = FxHashMap::default();
    for stack in profile.stacks.iter().filter(|it| it.numbers.bytes != 0) {
        let mut names: Vec<String> = profile.places(stack).map(|it| clean(&it.name)).collect();
        names.reverse();
        let sum = sums.entry(names.join(";")).or_default();
        *sum = sum.saturating_add(stack.numbers.bytes);
    }
    let mut lines: Vec<_> = sums.into_iter().collect();
    lines.sort();
    for (names, bytes) in lines {
        writeln!(out, "{names} {bytes}")?;
    }
    Ok(())
}
