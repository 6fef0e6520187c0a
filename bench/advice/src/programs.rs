//! The real programs, which `bench/advice/programs/build.sh` builds in `build/advised`.

use std::ffi::OsString;
use std::path::Path;

use heapsmith_measure::stats::Estimate;
use serde_json::Value;

use crate::demonstrations::{is_at, mallocs, pieces, saves_time, time};
use crate::measured::Pair;

/// A program, and the advice that its patch follows.
pub struct Real {
    pub name: &'static str,
    /// The change, and a file in which it is made. None: another malloc, which needs no patch.
    change: Option<(&'static str, &'static str)>,
    /// Words with a `/` at their start are files of the folder.
    as_is: &'static [&'static str],
    advised: Option<&'static [&'static str]>,
}

pub const PROGRAMS: [Real; 3] = [
    Real {
        name: "cjson",
        change: Some(("arena", "cJSON.c")),
        as_is: &["/json", "/users.json", "10"],
        advised: Some(&["/json-advised", "/users.json", "10"]),
    },
    Real {
        name: "libxml2",
        change: Some(("arena", "tree.c")),
        as_is: &["/libxml2-build/xmllint", "--noout", "/users.xml"],
        advised: Some(&["/libxml2-advised-build/xmllint", "--noout", "/users.xml"]),
    },
    Real {
        name: "lua5.4",
        change: None,
        as_is: &["/lua", "/../../bench/advice/programs/trees.lua"],
        advised: None,
    },
];

impl Real {
    pub fn pair(&self, folder: &Path) -> Pair {
        let word = |word: &&str| match word.strip_prefix('/') {
            Some(file) => folder.join(file).into(),
            None => OsString::from(word),
        };
        let words = |all: &[&str]| all.iter().map(word).collect::<Vec<OsString>>();
        Pair { as_is: words(self.as_is), advised: self.advised.map(words) }
    }

    /// The malloc that is the advice, and what it promises; or what the change promises.
    pub fn promised<'a>(&self, advice: &'a Value) -> Option<(Option<&'a Value>, Estimate)> {
        match self.change {
            Some((change, file)) => {
                let piece = pieces(advice).find(|it| is_at(it, change, file))?;
                Some((None, time(&piece["gain"])?))
            }
            None => {
                let malloc = mallocs(advice).find(saves_time)?;
                Some((Some(malloc), time(&malloc["gain"])?))
            }
        }
    }
}
