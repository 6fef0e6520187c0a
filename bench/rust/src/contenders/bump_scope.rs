//! Contender bump-scope: a scope of a `Bump`, with boxes that drop their values.

use ::bump_scope::{Bump, BumpVec};

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

pub struct BumpScope;

impl Contender for BumpScope {
    const NAME: &'static str = "bump-scope";

    fn version() -> String {
        env!("VERSION_OF_BUMP_SCOPE").to_string()
    }
}

impl objects::Objects for BumpScope {
    type Memory = Bump;

    fn memory(objects: usize, bytes: usize) -> Self::Memory {
        Bump::with_size(objects * bytes + 4096)
    }

    fn round<T: objects::Object>(memory: &mut Self::Memory, round: &mut objects::Round<T>) {
        let pointers = memory.scoped(|scope| {
            let all = round.make(|number| scope.alloc_with(|| T::make(number)));
            round.visit(&all);
            round.begin_to_end();
            recycled(all)
        });
        round.end(pointers);
    }
}

impl vectors::Vectors for BumpScope {
    type Memory = Bump;

    fn memory(bytes: usize) -> Self::Memory {
        Bump::with_size(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut vectors::Round) {
        memory.scoped(|scope| {
            let all = round.grow(|| BumpVec::new_in(&*scope));
            round.begin_to_end();
            drop(all);
        });
        round.end();
    }
}

impl strings::Strings for BumpScope {
    type Memory = Bump;

    fn memory(bytes: usize) -> Self::Memory {
        Bump::with_size(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut strings::Round) {
        memory.scoped(|scope| {
            let all =
                round.write(&*scope, |s, text| s.alloc_str(text), |s, text| s.alloc_fmt(text));
            round.begin_to_end();
            drop(all);
        });
        round.end();
    }
}
