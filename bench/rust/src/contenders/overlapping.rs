//! The negative control of the checks. Every `OVERLAP_PERIOD`-th block has the address of the one
//! before it and is overwritten at once, as its owner would do. Without that variable, all blocks
//! are correct.

use std::alloc::{Layout, alloc};
use std::cell::Cell;
use std::ops::Deref;
use std::ptr::NonNull;
use std::{fmt, slice, str};

use allocator_api2::alloc::{AllocError, Allocator};
use allocator_api2::vec::Vec as VecIn;

use super::Contender;
use crate::rounds::recycled;
use crate::{objects, strings, vectors};

pub struct Overlapping;

impl Contender for Overlapping {
    const NAME: &'static str = "overlapping";
    const IS_FAULTY: bool = true;

    fn version() -> String {
        "0".to_string()
    }
}

/// The bytes of a block that are overwritten when it is returned again.
const LEAST: usize = 16;

/// Blocks that are never freed.
pub struct Blocks {
    period: u64,
    counted: Cell<u64>,
    last: Cell<Option<(NonNull<u8>, Layout)>>,
}

impl Blocks {
    fn new() -> Self {
        let period = std::env::var("OVERLAP_PERIOD").ok().and_then(|period| period.parse().ok());
        Self { period: period.unwrap_or(0), counted: Cell::new(0), last: Cell::new(None) }
    }

    fn block(&self, layout: Layout) -> NonNull<u8> {
        let layout = Layout::from_size_align(layout.size().max(LEAST), layout.align().max(16))
            .expect("blocks are small");
        self.counted.set(self.counted.get() + 1);
        if self.period != 0 && self.counted.get() % self.period == 0 {
            if let Some((last, had)) = self.last.take() {
                if had.size() >= layout.size() {
                    // SAFETY: the block has that size. That it has another owner is intended.
                    unsafe { last.write_bytes(b'#', LEAST) };
                    return last;
                }
            }
        }
        // SAFETY: the layout has a size.
        let block = NonNull::new(unsafe { alloc(layout) }).expect("out of memory");
        self.last.set(Some((block, layout)));
        block
    }
}

/// Not a reference, since references must not overlap.
struct Pointer<T: ?Sized>(NonNull<T>);

impl<T: ?Sized> Deref for Pointer<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the object is never freed, and is overwritten by objects of its type only.
        unsafe { self.0.as_ref() }
    }
}

impl objects::Objects for Overlapping {
    type Memory = Blocks;

    fn memory(_: usize, _: usize) -> Blocks {
        Blocks::new()
    }

    fn round<T: objects::Object>(memory: &mut Blocks, round: &mut objects::Round<T>) {
        let all = round.make(|number| {
            let object = memory.block(Layout::new::<T>()).cast::<T>();
            // SAFETY: the block has the layout of a T.
            unsafe { object.write(T::make(number)) };
            Pointer(object)
        });
        round.visit(&all);
        round.begin_to_end();
        for object in &all {
            // SAFETY: the object is initialized. Without overlaps, each is dropped once.
            unsafe { object.0.drop_in_place() };
        }
        round.end(recycled(all));
    }
}

// SAFETY: violates the trait's contract, so that the checks have something to detect. Elements are
// plain numbers, which may be overwritten by others.
unsafe impl Allocator for &Blocks {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        Ok(NonNull::slice_from_raw_parts(self.block(layout), layout.size()))
    }

    unsafe fn deallocate(&self, _: NonNull<u8>, _: Layout) {}
}

impl vectors::Vectors for Overlapping {
    type Memory = Blocks;

    fn memory(_: usize) -> Blocks {
        Blocks::new()
    }

    fn round(memory: &mut Blocks, round: &mut vectors::Round) {
        let all = round.grow(|| VecIn::new_in(&*memory));
        round.begin_to_end();
        drop(all);
        round.end();
    }
}

impl Blocks {
    fn copy(&self, text: &str) -> Pointer<str> {
        let block = self.block(Layout::for_value(text));
        // SAFETY: the block has room for the text. All texts here are ASCII, so a text that is
        // partly overwritten is still UTF-8.
        unsafe {
            block.as_ptr().copy_from_nonoverlapping(text.as_ptr(), text.len());
            let bytes = slice::from_raw_parts_mut(block.as_ptr(), text.len());
            Pointer(NonNull::from(str::from_utf8_unchecked_mut(bytes)))
        }
    }
}

impl strings::Strings for Overlapping {
    type Memory = Blocks;

    fn memory(_: usize) -> Blocks {
        Blocks::new()
    }

    fn round(memory: &mut Blocks, round: &mut strings::Round) {
        let format = |blocks: &Blocks, text: fmt::Arguments<'_>| blocks.copy(&text.to_string());
        let all = round.write(&*memory, |blocks, text| blocks.copy(text), format);
        round.begin_to_end();
        drop(all);
        round.end();
    }
}
