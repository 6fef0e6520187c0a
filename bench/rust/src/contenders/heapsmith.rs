//! Contenders heapsmith-scope and heapsmith-arena.

use ::heapsmith::Arena;

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

pub struct InScope;

impl Contender for InScope {
    const NAME: &'static str = "heapsmith-scope";

    fn version() -> String {
        env!("VERSION_OF_HEAPSMITH").to_string()
    }
}

impl objects::Objects for InScope {
    type Memory = Arena;

    fn memory(objects: usize, bytes: usize) -> Self::Memory {
        Arena::with_capacity(objects * (bytes + 32))
    }

    fn round<T: objects::Object>(memory: &mut Self::Memory, round: &mut objects::Round<T>) {
        let mut guard = memory.guard();
        let scope = guard.scope();
        let all = round.make(|number| scope.alloc_drop_with(|| T::make(number)));
        round.visit(&all);
        round.begin_to_end();
        let pointers = recycled(all);
        drop(guard);
        round.end(pointers);
    }
}

impl vectors::Vectors for InScope {
    type Memory = Arena;

    fn memory(bytes: usize) -> Self::Memory {
        Arena::with_capacity(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut vectors::Round) {
        let mut guard = memory.guard();
        let scope = guard.scope();
        let all = round.grow(|| scope.vec());
        round.begin_to_end();
        drop(all);
        drop(guard);
        round.end();
    }
}

impl strings::Strings for InScope {
    type Memory = Arena;

    fn memory(bytes: usize) -> Self::Memory {
        Arena::with_capacity(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut strings::Round) {
        let mut guard = memory.guard();
        let scope = guard.scope();
        let all = round.write(&scope, |s, text| s.alloc_str(text), |s, text| s.alloc_fmt(text));
        round.begin_to_end();
        drop(all);
        drop(guard);
        round.end();
    }
}

/// For objects without destructors.
pub struct InArena;

impl Contender for InArena {
    const NAME: &'static str = "heapsmith-arena";

    fn version() -> String {
        env!("VERSION_OF_HEAPSMITH").to_string()
    }
}

impl objects::Objects for InArena {
    type Memory = Arena;

    fn memory(objects: usize, bytes: usize) -> Self::Memory {
        Arena::with_capacity(objects * bytes)
    }

    fn round<T: objects::Object>(memory: &mut Self::Memory, round: &mut objects::Round<T>) {
        let all = round.make(|number| memory.alloc_with(|| T::make(number)));
        round.visit(&all);
        round.begin_to_end();
        let pointers = recycled(all);
        memory.reset();
        round.end(pointers);
    }
}

impl vectors::Vectors for InArena {
    type Memory = Arena;

    fn memory(bytes: usize) -> Self::Memory {
        Arena::with_capacity(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut vectors::Round) {
        let all = round.grow(|| memory.vec());
        round.begin_to_end();
        drop(all);
        memory.reset();
        round.end();
    }
}

impl strings::Strings for InArena {
    type Memory = Arena;

    fn memory(bytes: usize) -> Self::Memory {
        Arena::with_capacity(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut strings::Round) {
        let all = round.write(&*memory, |a, text| a.alloc_str(text), |a, text| a.alloc_fmt(text));
        round.begin_to_end();
        drop(all);
        memory.reset();
        round.end();
    }
}
