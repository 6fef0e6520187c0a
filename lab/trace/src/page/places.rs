//! Places in the code, each named once.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::own::{is_standard, is_system};
use crate::packed::{Caller, Tables};
use crate::printable::name;
use crate::symbols::{Frame, Symbols, brief, file_name};

/// Longer names are cut.
const LONGEST: usize = 120;

/// A function at a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    pub name: String,
    /// "file:line", or "" if it is not known.
    pub line: String,
    /// The file name of the program or the library, or "".
    pub module: String,
    /// No part of a system library.
    pub is_own: bool,
}

impl Place {
    /// "function (file:line)", or less if less is known.
    pub fn describe(&self) -> String {
        match self.line.as_str() {
            "" => self.name.clone(),
            line => format!("{} ({line})", self.name),
        }
    }
}

pub struct Places<'a> {
    tables: &'a Tables,
    symbols: Symbols,
    pub list: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    of_callers: FxHashMap<u32, Vec<u32>>,
}

impl<'a> Places<'a> {
    pub fn of(tables: &'a Tables) -> Self {
        Self {
            tables,
            symbols: Symbols::default(),
            list: Vec::new(),
            numbers: FxHashMap::default(),
            of_callers: FxHashMap::default(),
        }
    }

    /// Numbers of places: that of the call, then the functions into which its function is inlined.
    pub fn of_caller(&mut self, caller: u32) -> Vec<u32> {
        if let Some(known) = self.of_callers.get(&caller) {
            return known.clone();
        }
        let numbers: Vec<u32> =
            self.look_up(caller).into_iter().map(|it| self.number(it)).collect();
        self.of_callers.insert(caller, numbers.clone());
        numbers
    }

    /// Stands for functions that are left out.
    pub fn cut(&mut self) -> u32 {
        let name = Caller::cut().name.unwrap_or_default();
        self.number(Place { name, line: String::new(), module: String::new(), is_own: false })
    }

    fn number(&mut self, place: Place) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(place).or_insert_with_key(|place| {
            list.push(place.clone());
            list.len() as u32 - 1
        })
    }

    fn look_up(&mut self, caller: u32) -> Vec<Place> {
        let modules = &self.tables.modules;
        let Some(at) = self.tables.callers.get(caller as usize) else {
            let name = format!("caller {caller}");
            return vec![Place { name, line: String::new(), module: String::new(), is_own: true }];
        };
        let file = at.module.and_then(|n| modules.get(n as usize)).map(|it| it.file.as_str());
        let module = file.map_or(String::new(), |file| name(file_name(file)).into_owned());
        // Of an anonymous or an imported trace, nothing is known.
        let has_no_files = modules.is_empty() || at.name.is_some();
        let is_own = !at.is_cut() && file.map_or(has_no_files, |it| !is_system(it));
        let frames = self.symbols.frames(modules, at);
        if frames.is_empty() {
            let name = cut(&self.symbols.name(modules, at));
            return vec![Place { name, line: String::new(), module, is_own }];
        }
        let place = |Frame { function, file, line, .. }: Frame| {
            let line = match (file, line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                (file, _) => file.unwrap_or_default(),
            };
            let name = function.map_or_else(|| "?".to_string(), |it| cut(&brief(&it)));
            let is_own = is_own && !is_standard(&name);
            Place { name, line, module: module.clone(), is_own }
        };
        frames.into_iter().map(place).collect()
    }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Module;

    #[test]
    fn equal_places_have_one_number() {
        let module = Module { file: "/none/app".into(), ..Module::default() };
        let at = |offset| Caller { module: Some(0), offset, name: None };
        let callers = vec![at(16), at(32), at(16)];
        let tables = Tables { modules: vec![module], callers, ..Tables::default() };
        let mut places = Places::of(&tables);
        let numbers: Vec<_> = (0..4).map(|caller| places.of_caller(caller)).collect();
        assert_eq!(numbers, [[0], [1], [0], [2]]);
        let told: Vec<_> = places.list.iter().map(Place::describe).collect();
        assert_eq!(told, ["app+0x10", "app+0x20", "caller 3"]);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(cut("é"), "é");
        assert_eq!(cut(&"é".repeat(200)).chars().count(), LONGEST + 1);
    }
}
