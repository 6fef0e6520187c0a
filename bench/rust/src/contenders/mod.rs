//! The contenders. Each crate is used as its documentation shows.

pub mod blink;
pub mod boxes;
pub mod bump_scope;
pub mod bumpalo;
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

/// Vectors of the collections that take an allocator.
macro_rules! growing {
    ([$($generics:tt)*] $vector:ty) => {
        impl<$($generics)*> crate::vectors::Growing for $vector {
            #[inline(always)]
            fn push(&mut self, value: u64) {
                self.push(value);
            }
            fn contents(&self) -> &[u64] {
                self
            }
        }
    };
}

growing!([] Vec<u64>);
growing!([A: allocator_api2::alloc::Allocator] allocator_api2::vec::Vec<u64, A>);
growing!(['l, 'g] ::heapsmith::ArenaVec<'l, 'g, u64>);
growing!(['a] ::bumpalo::collections::Vec<'a, u64>);
growing!([A: ::bump_scope::traits::BumpAllocatorTyped] ::bump_scope::BumpVec<u64, A>);
