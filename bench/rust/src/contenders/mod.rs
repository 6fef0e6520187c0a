//! The contenders. Each crate is used as its documentation shows.

pub mod blink;
pub mod boxes;
pub mod bump_scope;
pub mod bumpalo;
mod growing;
pub mod heapsmith;
pub mod limit;
pub mod overlapping;
pub mod typed_arena;

use heapsmith_bench::{Entry, Report, Request};

pub trait Contender {
    const NAME: &'static str;
    const IS_FAULTY: bool = false;

    fn version() -> String;

    fn entry(workload: String, run: fn(&Request, &mut Report)) -> Entry {
        let (contender, version) = (Self::NAME, Self::version);
        Entry { workload, contender, version, threads: 1, run, is_listed: !Self::IS_FAULTY }
    }
}
