//! Contender bumpalo. Values in a `Bump` itself are never dropped, so objects with destructors are
//! in the crate's `Box`.

use std::fmt::Write;
use std::mem::needs_drop;

use ::bumpalo::Bump;
use ::bumpalo::boxed::Box as BoxIn;
use ::bumpalo::collections::{String as StringIn, Vec as VecIn};

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

pub struct Bumpalo;

impl Contender for Bumpalo {
    const NAME: &'static str = "bumpalo";

    fn version() -> String {
        env!("VERSION_OF_BUMPALO").to_string()
    }
}

impl objects::Objects for Bumpalo {
    type Memory = Bump;

    fn memory(objects: usize, bytes: usize) -> Self::Memory {
        Bump::with_capacity(objects * bytes)
    }

    fn round<T: objects::Object>(memory: &mut Self::Memory, round: &mut objects::Round<T>) {
        let pointers = if needs_drop::<T>() {
            let all = round.make(|number| BoxIn::new_in(T::make(number), memory));
            round.visit(&all);
            round.begin_to_end();
            recycled(all)
        } else {
            let all = round.make(|number| memory.alloc_with(|| T::make(number)));
            round.visit(&all);
            round.begin_to_end();
            recycled(all)
        };
        memory.reset();
        round.end(pointers);
    }
}

impl vectors::Vectors for Bumpalo {
    type Memory = Bump;

    fn memory(bytes: usize) -> Self::Memory {
        Bump::with_capacity(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut vectors::Round) {
        let all = round.grow(|| VecIn::new_in(memory));
        round.begin_to_end();
        drop(all);
        memory.reset();
        round.end();
    }
}

impl strings::Strings for Bumpalo {
    type Memory = Bump;

    fn memory(bytes: usize) -> Self::Memory {
        Bump::with_capacity(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut strings::Round) {
        let all = round.write(
            &*memory,
            |bump, text| &*bump.alloc_str(text),
            |bump, text| {
                let mut line = StringIn::new_in(bump);
                line.write_fmt(text).expect("writing to a string succeeds");
                line.into_bump_str()
            },
        );
        round.begin_to_end();
        drop(all);
        memory.reset();
        round.end();
    }
}
