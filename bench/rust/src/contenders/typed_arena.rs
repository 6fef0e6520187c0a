//! Contender typed-arena: objects of one type in vectors, dropped with the arena. It cannot be
//! reset, so each round allocates new memory. Texts are formatted elsewhere and copied.

use std::cell::RefCell;
use std::fmt::Write;

use ::typed_arena::Arena;

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings};

pub struct TypedArena;

impl Contender for TypedArena {
    const NAME: &'static str = "typed-arena";

    fn version() -> String {
        env!("VERSION_OF_TYPED_ARENA").to_string()
    }
}

impl objects::Objects for TypedArena {
    type Memory = ();

    fn memory(_: usize, _: usize) {}

    fn round<T: objects::Object>(_: &mut (), round: &mut objects::Round<T>) {
        let arena = Arena::with_capacity(round.objects());
        let all = round.make(|number| arena.alloc(T::make(number)));
        round.visit(&all);
        round.begin_to_end();
        let pointers = recycled(all);
        drop(arena);
        round.end(pointers);
    }
}

impl strings::Strings for TypedArena {
    /// The bytes of a round.
    type Memory = usize;

    fn memory(bytes: usize) -> usize {
        2 * bytes
    }

    fn round(memory: &mut usize, round: &mut strings::Round) {
        let arena = Arena::<u8>::with_capacity(*memory);
        let line = RefCell::new(String::new());
        let all = round.write(
            &arena,
            |arena, text| arena.alloc_str(text),
            |arena, text| {
                let line = &mut *line.borrow_mut();
                line.clear();
                line.write_fmt(text).expect("writing to a string succeeds");
                arena.alloc_str(line)
            },
        );
        round.begin_to_end();
        drop(all);
        drop(arena);
        round.end();
    }
}
