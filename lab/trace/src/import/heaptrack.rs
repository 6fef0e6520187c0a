//! Files of heaptrack, after its interpreter: lines of a letter and hexadecimal numbers.
//!
//! `s` texts, `i` places of code, `t` stacks (a place and the stack above), `a` a size at a stack,
//! `+` and `-` an allocation and a free of such a size, `c` milliseconds since the start. Indices
//! count from 1, those of `a` from 0. Freed blocks are known by size and stack only, so the newest
//! block of these is taken.

use std::io::BufRead;
use std::path::Path;

use super::builder::Import;
use super::lines::{Line, each_line, hex};
use crate::error::Result;
use crate::event::{Api, Kind};
use crate::packed::{Caller, StackSample};

pub const APPROXIMATE: &str = "from heaptrack: one thread, all calls as malloc or free, times in \
                               steps of 10 ms, and freed blocks known by size and stack only";

/// Deeper stacks are cut off, and marked.
const MOST_FRAMES: usize = 512;

#[derive(Default)]
struct Tables {
    texts: Vec<String>,
    /// By place: the caller.
    stacks: Vec<(u32, u64)>, // place, the stack above
    sizes: Vec<(u64, u64)>, // size, stack
    live: Vec<Vec<u64>>,    // blocks of each size and stack
    counts: Vec<u64>,
}

enum Call {
    Allocate(usize),
    Free(usize),
}

pub fn read(first: &str, input: Box<dyn BufRead>, import: &mut Import, path: &Path) -> Result<()> {
    let mut tables = Tables::default();
    import.ticks_a_ns = 1e-6; // a tick is a millisecond
    import.callers.push(Caller::default()); // places count from 1
    each_line(first, input, path, |line| {
        let call = match tables.line(line, import) {
            Ok(Some(call)) => call,
            Ok(None) => return Ok(Ok(())),
            Err(what) => return Ok(Err(what)),
        };
        match call {
            Call::Allocate(at) => {
                let (size, stack) = tables.sizes[at];
                let caller = tables.caller(stack);
                let block = import.allocate(Api::Malloc, caller, size)?;
                tables.live[at].push(block);
                tables.counts[at] += 1;
            }
            Call::Free(at) => match tables.live[at].pop() {
                Some(block) => import.event(Api::Free, 0, Kind::Free { block })?,
                None => import.unknown_frees += 1,
            },
        }
        Ok(Ok(()))
    })?;
    let mut is_cut = false;
    for (&(_, stack), &samples) in tables.sizes.iter().zip(&tables.counts) {
        let mut frames = tables.frames(stack);
        if let Some(last) = frames.get_mut(MOST_FRAMES) {
            *last = import.callers.len() as u32;
            is_cut = true;
        }
        if let (Some(&caller), true) = (frames.first(), samples != 0) {
            import.stacks.push(StackSample { caller, frames: frames[1..].to_vec(), samples });
        }
    }
    import.callers.extend(is_cut.then(Caller::cut));
    Ok(())
}

impl Tables {
    fn line(&mut self, line: &str, import: &mut Import) -> Line<Option<Call>> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split(' ').filter(|word| !word.is_empty());
        match kind {
            "v" => {
                hex(words.next())?;
                match hex(words.next()) {
                    Ok(1..=3) => {}
                    Ok(n) => return Err(format!("format {n} of heaptrack; 1 to 3 are known")),
                    Err(_) => return Err("a format of heaptrack before 1".to_string()),
                }
            }
            "X" => import.command = rest.split(' ').map(str::to_string).collect(),
            "s" => {
                // From format 3 on, the length stands before the text.
                let text = rest.split_once(' ').map_or(rest, |(_, text)| text);
                self.texts.push(text.to_string());
            }
            "i" => {
                let address = hex(words.next())?;
                let module = hex(words.next())?;
                let function = words.next().map(|word| hex(Some(word))).transpose()?;
                let file = words.next().map(|word| hex(Some(word))).transpose()?;
                let line = words.next().map(|word| hex(Some(word))).transpose()?;
                let name = self.name(module, function, file, line);
                import.callers.push(Caller { module: None, offset: address, name });
            }
            "t" => {
                let place = hex(words.next())?;
                let above = hex(words.next())?;
                if place as usize >= import.callers.len() || above as usize > self.stacks.len() {
                    return Err("a stack of places that come later".to_string());
                }
                self.stacks.push((place as u32, above));
            }
            "a" => {
                let (size, stack) = (hex(words.next())?, hex(words.next())?);
                if stack as usize > self.stacks.len() || size > 1 << 56 {
                    return Err("an allocation of a stack that comes later".to_string());
                }
                self.sizes.push((size, stack));
                self.live.push(Vec::new());
                self.counts.push(0);
            }
            "+" | "-" => {
                let at = hex(words.next())? as usize;
                if at >= self.sizes.len() {
                    return Err("a call of an allocation that comes later".to_string());
                }
                return Ok(Some(if kind == "+" { Call::Allocate(at) } else { Call::Free(at) }));
            }
            "c" => import.tick = import.tick.max(hex(words.next())?),
            // Of the system, of the process's memory, comments, suppressions, and a blank line.
            "I" | "R" | "#" | "S" | "A" | "" => {}
            _ => return Err(format!("'{kind}' begins no line of heaptrack")),
        }
        Ok(None)
    }

    fn text(&self, index: u64) -> Option<&str> {
        let at = usize::try_from(index).ok()?.checked_sub(1)?;
        self.texts.get(at).map(String::as_str)
    }

    fn name(
        &self,
        module: u64,
        function: Option<u64>,
        file: Option<u64>,
        line: Option<u64>,
    ) -> Option<String> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_string();
        let function = function.and_then(|index| self.text(index));
        let place = match (file.and_then(|index| self.text(index)), line) {
            (Some(file), Some(line)) => Some(format!("{}:{line}", last(file))),
            _ => self.text(module).map(last),
        };
        match (function, place) {
            (Some(function), Some(place)) => Some(format!("{function} at {place}")),
            (None, place) => place,
            (function, None) => function.map(str::to_string),
        }
    }

    fn caller(&self, stack: u64) -> u32 {
        let at = (stack as usize).checked_sub(1);
        at.and_then(|at| self.stacks.get(at)).map_or(0, |&(place, _)| place)
    }

    /// The places of a stack, the nearest first: one more than MOST_FRAMES if it is deeper. Each stack
    /// names one that came before it.
    fn frames(&self, mut stack: u64) -> Vec<u32> {
        let mut frames = Vec::new();
        while frames.len() <= MOST_FRAMES {
            let at = (stack as usize).checked_sub(1);
            let Some(&(place, above)) = at.and_then(|at| self.stacks.get(at)) else { break };
            frames.push(place);
            stack = above;
        }
        frames
    }
}
