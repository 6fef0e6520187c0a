//! Contender limit: the same work in an array that was allocated beforehand, without an allocator.
//!
//! All that remains of an allocator is an increasing index. It lies in memory, as in any allocator
//! that several functions call. Nothing checks whether there is room.

use std::arch::asm;
use std::cell::Cell;
use std::fmt;
use std::mem::MaybeUninit;
use std::slice;

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

pub struct Limit;

impl Contender for Limit {
    const NAME: &'static str = "limit";

    fn version() -> String {
        "none".to_string()
    }
}

/// The array and its index, in bytes.
pub struct Array {
    memory: Box<[MaybeUninit<u8>]>,
    first: *mut u8,
    index: Cell<usize>,
}

impl Array {
    fn new(bytes: usize) -> Self {
        let mut memory = Box::new_uninit_slice(bytes + 64);
        let skip = memory.as_ptr().align_offset(64);
        let first = memory[skip..].as_mut_ptr().cast();
        Self { memory, first, index: Cell::new(0) }
    }

    /// The next `bytes` bytes at a multiple of `align`.
    #[inline(always)]
    fn next(&self, bytes: usize, align: usize) -> *mut u8 {
        let at = (self.index.get() + (align - 1)) & !(align - 1);
        self.index.set(at + bytes);
        // SAFETY: the assembly is empty. It keeps the compiler from caching the index in a
        // register.
        unsafe {
            asm!("/* {0} */", in(reg) self.index.as_ptr(), options(nostack, preserves_flags))
        };
        debug_assert!(at + bytes <= self.memory.len());
        // SAFETY: the array has the size that the workload requested.
        unsafe { self.first.add(at) }
    }
}

impl objects::Objects for Limit {
    type Memory = Array;

    fn memory(objects: usize, bytes: usize) -> Array {
        Array::new(objects * bytes)
    }

    /// Objects lie side by side, so a loop over the array drops them.
    fn round<T: objects::Object>(memory: &mut Array, round: &mut objects::Round<T>) {
        let all = round.make(|number| {
            let object = memory.next(size_of::<T>(), align_of::<T>()).cast::<T>();
            // SAFETY: the memory is unused in this round and has the layout of a T.
            unsafe {
                object.write(T::make(number));
                &*object
            }
        });
        round.visit(&all);
        round.begin_to_end();
        let (first, made) = (memory.first.cast::<T>(), all.len());
        let pointers = recycled(all);
        // SAFETY: the objects are initialized and not used any more.
        unsafe { std::ptr::slice_from_raw_parts_mut(first, made).drop_in_place() };
        memory.index.set(0);
        round.end(pointers);
    }
}

/// A vector at the end of the array. Nothing else is written while it grows.
struct Tail<'a> {
    array: &'a Array,
    first: *mut u64,
    len: usize,
}

impl vectors::Growing for Tail<'_> {
    #[inline(always)]
    fn push(&mut self, value: u64) {
        let element = self.array.next(8, 8).cast::<u64>();
        // SAFETY: the memory is unused in this round and has room for the element.
        unsafe { element.write(value) };
        self.len += 1;
    }

    fn contents(&self) -> &[u64] {
        // SAFETY: that many consecutive elements were written.
        unsafe { slice::from_raw_parts(self.first, self.len) }
    }
}

impl vectors::Vectors for Limit {
    type Memory = Array;

    fn memory(bytes: usize) -> Array {
        Array::new(bytes)
    }

    fn round(memory: &mut Array, round: &mut vectors::Round) {
        let array = &*memory;
        let all = round.grow(|| Tail { array, first: array.next(0, 8).cast(), len: 0 });
        round.begin_to_end();
        drop(all);
        memory.index.set(0);
        round.end();
    }
}

impl Array {
    #[inline(always)]
    fn copy(&self, text: &str) -> &str {
        let copy = self.next(text.len(), 1);
        // SAFETY: the memory is unused in this round and has room for the text.
        unsafe {
            copy.copy_from_nonoverlapping(text.as_ptr(), text.len());
            std::str::from_utf8_unchecked(slice::from_raw_parts(copy, text.len()))
        }
    }
}

/// Writes to the end of the array.
struct Line<'a>(&'a Array);

impl fmt::Write for Line<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.copy(part);
        Ok(())
    }
}

impl strings::Strings for Limit {
    type Memory = Array;

    fn memory(bytes: usize) -> Array {
        Array::new(2 * bytes)
    }

    fn round(memory: &mut Array, round: &mut strings::Round) {
        let format = |array: &Array, text: fmt::Arguments<'_>| {
            let first = array.next(0, 1);
            fmt::write(&mut Line(array), text).expect("the array has room");
            // SAFETY: the parts of the text were written one after the other.
            unsafe {
                let len = array.next(0, 1).offset_from(first) as usize;
                std::str::from_utf8_unchecked(slice::from_raw_parts(first, len))
            }
        };
        let all = round.write(&*memory, |array, text| array.copy(text), format);
        round.begin_to_end();
        drop(all);
        memory.index.set(0);
        round.end();
    }
}
