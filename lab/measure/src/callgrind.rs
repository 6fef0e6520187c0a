//! Reads a callgrind profile: the count of an event, such as Ir, in each object's functions.
//!
//! A profile is a list of lines in the context of the last `ob=` (object) and `fn=` lines. A cost
//! line starts with a position (a number, `+n`, `-n` or `*`) and ends with its own ("self") cost.
//! The cost line that follows `calls=` is the inclusive cost of a call: it is counted already where
//! the callee's own lines are, so it is skipped. Names are compressed: `(3) path` defines number
//! 3, `(3)` alone refers to it; `ob=` and `cob=` share one table, `fn=` and `cfn=` another.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

/// Self cost by object path and function name.
pub type Costs = HashMap<(String, String), u64>;

/// The object of code that valgrind can assign to none, because it lies outside a .text section.
pub const UNNAMED: &str = "???";

pub fn self_costs(profile: &str, event: &str) -> Result<Costs> {
    let mut reader = Reader { event: event.to_string(), ..Reader::default() };
    for (index, line) in profile.lines().enumerate() {
        reader
            .line(line.trim())
            .with_context(|| format!("callgrind line {}: {line}", index + 1))?;
    }
    if reader.place.is_none() {
        bail!("not a callgrind profile: no 'events:' line with {event}");
    }
    Ok(reader.costs)
}

#[derive(Default)]
struct Reader {
    objects: Names,
    functions: Names,
    object: String,
    function: String,
    /// Numbers before the costs of a line: one per position kind (line, instr).
    positions: usize,
    event: String,
    /// The index of the event among the costs of a line.
    place: Option<usize>,
    after_calls: bool,
    costs: Costs,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<()> {
        if let Some(kinds) = line.strip_prefix("positions:") {
            self.positions = kinds.split_whitespace().count();
        } else if let Some(events) = line.strip_prefix("events:") {
            self.place = events.split_whitespace().position(|event| event == self.event);
        } else if let Some(name) = line.strip_prefix("ob=") {
            self.object = self.objects.name(name)?;
        } else if let Some(name) = line.strip_prefix("fn=") {
            self.function = self.functions.name(name)?;
        } else if let Some(name) = line.strip_prefix("cob=") {
            // Only remembered: a callee may be named here for the first time.
            self.objects.name(name)?;
        } else if let Some(name) = line.strip_prefix("cfn=") {
            self.functions.name(name)?;
        } else if line.starts_with("calls=") {
            self.after_calls = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            self.cost(line)?;
        }
        Ok(())
    }

    fn cost(&mut self, line: &str) -> Result<()> {
        if std::mem::take(&mut self.after_calls) {
            return Ok(());
        }
        let event = self.place.context("a cost before any 'events:' line")?;
        // Without a 'positions:' line the line number is the only position.
        let cost = line.split_whitespace().nth(self.positions.max(1) + event);
        // Trailing zero costs may be left out.
        let cost: u64 = cost.unwrap_or("0").parse().context("not a cost")?;
        let place = (self.object.clone(), self.function.clone());
        *self.costs.entry(place).or_default() += cost;
        Ok(())
    }
}

/// The names met so far, by their numbers.
#[derive(Default)]
struct Names(HashMap<u64, String>);

impl Names {
    fn name(&mut self, text: &str) -> Result<String> {
        let Some(rest) = text.strip_prefix('(') else { return Ok(text.to_string()) };
        let (number, name) = rest.split_once(')').context("no closing parenthesis")?;
        let number = number.parse().context("not a number")?;
        match name.trim() {
            "" => self.0.get(&number).cloned().context("a number without a name"),
            name => {
                self.0.insert(number, name.to_string());
                Ok(name.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! A profile with every kind of line, summed by hand.
    use super::*;

    const PROFILE: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
positions: line
events: Ir

ob=(1) /bin/program
fl=(1) program.c
fn=(1) main
10 5
cob=(2) /lib/liballoc.so
cfi=(2) alloc.c
cfn=(2) malloc
calls=100 20
+1 1600
* 3

ob=(2)
fl=(2)
fn=(2)
20 1000
+2 500
-1 100
fi=(3) inline.h
7 20
fe=(2)
cob=(3) /lib/libc.so.6
cfn=(4) memset
calls=1 0
5 999

fn=(5) free
30 400

ob=(3)
fn=(4)
0 999
totals: 3027
";

    #[test]
    fn own_costs_are_summed_by_object_and_calls_are_not_counted() {
        let costs = self_costs(PROFILE, "Ir").expect("a good profile");
        let of = |object: &str, function: &str| costs[&(object.to_string(), function.to_string())];
        assert_eq!(of("/bin/program", "main"), 8);
        assert_eq!(of("/lib/liballoc.so", "malloc"), 1000 + 500 + 100 + 20);
        assert_eq!(of("/lib/liballoc.so", "free"), 400);
        assert_eq!(of("/lib/libc.so.6", "memset"), 999);
        assert_eq!(costs.values().sum::<u64>(), 3027, "as the totals line says");
    }

    #[test]
    fn further_positions_and_events_are_told_apart() {
        let text = "positions: instr line\nevents: Dr Ir\nob=x\n0x10 3 7 9\n+4 * 1 2\n";
        // Hexadecimal positions start with a digit and are never read as a cost.
        assert_eq!(self_costs(text, "Ir").expect("good").values().sum::<u64>(), 11);
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        assert!(self_costs("", "Ir").is_err());
        assert!(self_costs("events: Ir\nob=(7)\n", "Ir").is_err());
        assert!(self_costs("events: Ir\nob=x\n1 many\n", "Ir").is_err());
    }
}
