//! The sites of a trace as stacks of named places, each with its numbers.

use std::ops::Range;

use crate::info::{Info, Site};
use crate::packed::{StackSample, Tables};
use crate::printable;
use crate::symbols::{Frame, Symbols, file_name};

/// A function at a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub name: String,
    /// Without folders.
    pub file: Option<String>,
    /// The file with its folders.
    pub path: Option<String>,
    pub line: Option<u32>,
}

impl Place {
    /// "function (file:line)", or less if less is known.
    pub fn describe(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{} ({file}:{line})", self.name),
            (Some(file), None) => format!("{} ({file})", self.name),
            _ => self.name.clone(),
        }
    }
}

/// The share of a site's numbers that came through one stack of calls.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The site's number.
    pub site: u32,
    /// Numbers of callers: the one that called the allocator, its caller, and so on.
    pub callers: Vec<u32>,
    pub numbers: Site,
}

pub struct Profile<'a> {
    pub info: &'a Info,
    pub tables: &'a Tables,
    pub stacks: Vec<Stack>,
    /// By the number of the caller: the place of the call, then the functions into which its
    /// function is inlined. Empty if no stack has the caller.
    pub places: Vec<Vec<Place>>,
}

impl<'a> Profile<'a> {
    /// A recording has some stacks of each site, so the numbers of the site are divided among them
    /// as often as each was sampled. A site without stacks counts as one place.
    pub fn of(info: &'a Info, tables: &'a Tables) -> Self {
        let mut stacks = Vec::new();
        for (caller, site) in info.sites.iter().enumerate().filter(|(_, site)| is_used(site)) {
            let caller = caller as u32;
            let samples = samples_of(tables, caller);
            let all: u64 = samples.iter().map(|it| it.samples).sum();
            let mut before = 0;
            for sample in samples {
                let after = before + sample.samples;
                let callers = [caller].into_iter().chain(above(tables, sample)).collect();
                let numbers = share(site, before, after, all);
                stacks.push(Stack { site: caller, callers, numbers });
                before = after;
            }
            if all == 0 {
                stacks.push(Stack { site: caller, callers: vec![caller], numbers: *site });
            }
        }
        let mut symbols = Symbols::default();
        let mut places = vec![Vec::new(); tables.callers.len()];
        for stack in &mut stacks {
            stack.callers.retain(|&it| (it as usize) < tables.callers.len());
            for &caller in &stack.callers {
                let its = &mut places[caller as usize];
                if its.is_empty() {
                    *its = places_of(tables, caller, &mut symbols);
                }
            }
        }
        Self { info, tables, stacks, places }
    }

    /// The places of a stack, the nearest to the allocator first.
    pub fn places<'b>(&'b self, stack: &'b Stack) -> impl Iterator<Item = &'b Place> {
        stack.callers.iter().flat_map(|&caller| &self.places[caller as usize])
    }

    /// The stacks of a site: numbers in `stacks`.
    pub fn stacks_of(&self, site: u32) -> Range<usize> {
        let from = self.stacks.partition_point(|it| it.site < site);
        from..self.stacks.partition_point(|it| it.site <= site)
    }

    /// The memory of the process over time: nanoseconds from the first event, and bytes.
    pub fn memory(&self) -> impl Iterator<Item = (f64, u64)> {
        self.tables.memory_since(self.info.first_tick)
    }

    /// The program and its arguments, in one line.
    pub fn command(&self) -> String {
        printable::name(&self.tables.meta.command.join(" ")).into_owned()
    }
}

/// The samples of stacks that end in `caller`. They are sorted by it.
pub(crate) fn samples_of(tables: &Tables, caller: u32) -> &[StackSample] {
    let from = tables.stacks.partition_point(|it| it.caller < caller);
    let to = tables.stacks.partition_point(|it| it.caller <= caller);
    tables.stacks.get(from..to).unwrap_or_default()
}

/// The callers of a sampled site. Functions of the recorder, which pass calls of the program on, are
/// left out.
pub(crate) fn above<'a>(
    tables: &'a Tables,
    sample: &'a StackSample,
) -> impl Iterator<Item = u32> + 'a {
    let frames = sample.frames.iter().copied().take_while(|&it| is_code(tables, it));
    frames.filter(|&it| !is_recorder(tables, it))
}

/// Whether a frame may be one, or stands for those that were cut: in a function without a frame
/// pointer, any number may be taken for an address, and what follows it, too. Anonymous traces do not
/// tell.
fn is_code(tables: &Tables, caller: u32) -> bool {
    let caller = tables.callers.get(caller as usize);
    tables.modules.is_empty() || caller.is_some_and(|it| it.module.is_some() || it.is_cut())
}

fn is_recorder(tables: &Tables, caller: u32) -> bool {
    const OURS: [&str; 2] = ["libheapsmith_recorder.so", "libheapsmith_trace.so"];
    let module = tables.callers.get(caller as usize).and_then(|it| it.module);
    let module = module.and_then(|n| tables.modules.get(n as usize));
    module.is_some_and(|it| OURS.iter().any(|ours| file_name(&it.file).starts_with(ours)))
}

pub(crate) fn is_used(site: &Site) -> bool {
    site.calls != 0 || site.inherited_blocks != 0
}

/// The part of a site's numbers from `before` to `after` of `all`. The parts of all add up to the
/// site.
fn share(site: &Site, before: u64, after: u64, all: u64) -> Site {
    let until = |n: u64, part: u64| (u128::from(n) * u128::from(part) / u128::from(all)) as u64;
    let of = |n: u64| until(n, after) - until(n, before);
    Site {
        calls: of(site.calls),
        bytes: of(site.bytes),
        left_blocks: of(site.left_blocks),
        left_bytes: of(site.left_bytes),
        peak_blocks: of(site.peak_blocks),
        peak_bytes: of(site.peak_bytes),
        most_blocks: of(site.most_blocks),
        most_bytes: of(site.most_bytes),
        lifetime_ns: of(site.lifetime_ns),
        inherited_blocks: of(site.inherited_blocks),
        inherited_bytes: of(site.inherited_bytes),
    }
}

fn places_of(tables: &Tables, caller: u32, symbols: &mut Symbols) -> Vec<Place> {
    let at = &tables.callers[caller as usize];
    let frames = symbols.frames(&tables.modules, at);
    if frames.is_empty() {
        let name = symbols.name(&tables.modules, at);
        return vec![Place { name, file: None, path: None, line: None }];
    }
    let place = |Frame { function, file, line, path }| Place {
        name: function.unwrap_or_else(|| "?".to_string()),
        file,
        path: path.map(|it| printable::name(&it).into_owned()),
        line,
    };
    frames.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::example::example;
    use super::*;
    use crate::packed::Module;

    #[test]
    fn the_numbers_of_a_site_are_divided_among_its_stacks() {
        let (info, tables) = example();
        let profile = Profile::of(&info, &tables);
        let told = profile.stacks.iter().map(|it| (&it.callers[..], it.numbers.calls));
        let expected: [(&[u32], u64); 3] = [(&[0], 3), (&[1, 2], 6), (&[1, 2, 3], 4)];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        let bytes: u64 = profile.stacks.iter().map(|it| it.numbers.bytes).sum();
        assert_eq!(bytes, 1301, "nothing is lost by rounding");
        let names: Vec<_> = profile.places(&profile.stacks[2]).map(Place::describe).collect();
        assert_eq!(names, ["0x20", "0x30", "0x40"]);
    }

    #[test]
    fn functions_of_the_recorder_are_left_out() {
        let (info, mut tables) = example();
        let module = |file: &str| Module { file: file.into(), ..Module::default() };
        tables.modules = ["/no/app", "/no/lab/libheapsmith_recorder.so"].map(module).to_vec();
        for (caller, module) in tables.callers.iter_mut().zip([0, 0, 1, 0]) {
            caller.module = Some(module);
        }
        let profile = Profile::of(&info, &tables);
        let told: Vec<_> = profile.stacks.iter().map(|it| &it.callers[..]).collect();
        assert_eq!(told, [&[0][..], &[1], &[1, 3]]);
        tables.modules[1].file = "/no/libheapsmith_trace.so.0.1.0".into();
        let again = Profile::of(&info, &tables);
        assert_eq!(again.stacks[2].callers, [1, 3]);
        tables.modules[1].file = "/no/libother.so".into();
        assert_eq!(Profile::of(&info, &tables).stacks[2].callers, [1, 2, 3]);
    }

    #[test]
    fn tables_that_do_not_fit_do_no_harm() {
        let (info, mut tables) = example();
        tables.callers.truncate(2);
        let profile = Profile::of(&info, &tables);
        assert_eq!(profile.stacks[1].callers, [1]);
        tables.callers.clear();
        let profile = Profile::of(&info, &tables);
        assert!(profile.stacks.iter().all(|it| it.callers.is_empty()));
    }
}
