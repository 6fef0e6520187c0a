//! Contender blink-alloc: a `Blink`, which drops its values when it is reset. It cannot format, so
//! a line is formatted into a `String`, which is reused, and copied.

use std::cell::RefCell;
use std::fmt::Write;

use allocator_api2::vec::Vec as VecIn;
use blink_alloc::Blink;

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

pub struct BlinkAlloc;

impl Contender for BlinkAlloc {
    const NAME: &'static str = "blink-alloc";

    fn version() -> String {
        env!("VERSION_OF_BLINK_ALLOC").to_string()
    }
}

impl objects::Objects for BlinkAlloc {
    type Memory = Blink;

    fn memory(objects: usize, bytes: usize) -> Self::Memory {
        Blink::with_chunk_size(objects * (bytes + 32))
    }

    fn round<T: objects::Object>(memory: &mut Self::Memory, round: &mut objects::Round<T>) {
        let pointers = if std::mem::needs_drop::<T>() {
            let all = round.make(|number| memory.emplace().with(|| T::make(number)));
            round.visit(&all);
            round.begin_to_end();
            recycled(all)
        } else {
            let all = round.make(|number| memory.emplace_no_drop().with(|| T::make(number)));
            round.visit(&all);
            round.begin_to_end();
            recycled(all)
        };
        memory.reset();
        round.end(pointers);
    }
}

impl vectors::Vectors for BlinkAlloc {
    type Memory = Blink;

    fn memory(bytes: usize) -> Self::Memory {
        Blink::with_chunk_size(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut vectors::Round) {
        let all = round.grow(|| VecIn::new_in(memory.allocator()));
        round.begin_to_end();
        drop(all);
        memory.reset();
        round.end();
    }
}

impl strings::Strings for BlinkAlloc {
    type Memory = Blink;

    fn memory(bytes: usize) -> Self::Memory {
        Blink::with_chunk_size(2 * bytes)
    }

    fn round(memory: &mut Self::Memory, round: &mut strings::Round) {
        let line = RefCell::new(String::new());
        let all = round.write(
            &*memory,
            |blink, text| blink.copy_str(text),
            |blink, text| {
                let line = &mut *line.borrow_mut();
                line.clear();
                line.write_fmt(text).expect("writing to a string succeeds");
                blink.copy_str(line)
            },
        );
        round.begin_to_end();
        drop(all);
        memory.reset();
        round.end();
    }
}
