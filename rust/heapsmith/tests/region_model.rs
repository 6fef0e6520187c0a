//! Random steps on a region, compared with a model. PROPTEST_CASES sets the number of cases.
#![cfg(all(feature = "region", not(miri)))] // the core is not Rust

mod support;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith::{AllocError, Region, RegionBox};
use proptest::prelude::*;
use support::{Block, Blocks, cases};

#[derive(Clone, Debug)]
enum Step {
    Allocate(usize, usize),
    /// One of the blocks.
    Deallocate(usize),
    /// The new size and alignment.
    Reallocate(usize, usize, usize),
    Value(String),
    DropValue(usize),
    Defragment,
    LimitDeferred(usize),
    AddMemory,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let bytes = || prop_oneof![6 => 0..100usize, 3 => 0..1100usize, 1 => 0..20_000usize];
    let align = || prop_oneof![4 => 0..5u32, 1 => 0..13u32].prop_map(|shift| 1 << shift);
    let any_block = any::<usize>;
    let step = prop_oneof![
        12 => (bytes(), align()).prop_map(|(n, align)| Step::Allocate(n, align)),
        8 => any_block().prop_map(Step::Deallocate),
        4 => (any_block(), bytes(), align()).prop_map(|(at, n, a)| Step::Reallocate(at, n, a)),
        4 => "[a-z]{0,40}".prop_map(Step::Value),
        3 => any_block().prop_map(Step::DropValue),
        1 => Just(Step::Defragment),
        1 => (0..5000usize).prop_map(Step::LimitDeferred),
        1 => Just(Step::AddMemory),
    ];
    prop::collection::vec(step, 0..300)
}

/// A request of alignment 16 or less succeeds if a free block of that size exists.
fn check_refusal(region: &Region, error: AllocError, asked: Layout) {
    let AllocError::NoRoom { layout, remaining } = error else { panic!("{error}") };
    assert_eq!(layout, asked);
    if asked.align() <= 16 {
        assert!(remaining < asked.size() && region.defragment() < asked.size());
    }
}

struct Model<'r, 'buffers> {
    region: &'r Region<'buffers>,
    blocks: Blocks,
    values: Vec<(RegionBox<'r, String>, String)>,
}

impl Model<'_, '_> {
    fn enter(&mut self, at: NonNull<u8>, layout: Layout) {
        assert!(layout.size() == 0 || self.region.owns(at.as_ptr()));
        self.blocks.enter(at, layout);
    }

    fn take_block(&mut self, at: usize) -> Option<Block> {
        let at = at.checked_rem(self.blocks.all.len())?;
        Some(self.blocks.all.swap_remove(at))
    }

    fn reallocate(&mut self, block: Block, layout: Layout) {
        // SAFETY: the block is live, and nothing else refers to it.
        match unsafe { self.region.reallocate(block.at, block.layout, layout) } {
            Ok(at) => {
                assert!(Block { at, ..block }.holds(layout.size().min(block.layout.size())));
                self.enter(at, layout);
            }
            Err(e) => {
                check_refusal(self.region, e, layout);
                self.blocks.all.push(block);
            }
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            &Step::Allocate(bytes, align) => {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                match self.region.allocate(layout) {
                    Ok(at) => self.enter(at, layout),
                    Err(e) => check_refusal(self.region, e, layout),
                }
            }
            &Step::Deallocate(at) => {
                let Some(block) = self.take_block(at) else { return };
                // SAFETY: the block was live until now.
                unsafe { self.region.deallocate(block.at, block.layout) };
            }
            &Step::Reallocate(at, bytes, align) => {
                let Some(block) = self.take_block(at) else { return };
                self.reallocate(block, Layout::from_size_align(bytes, align).unwrap());
            }
            Step::Value(text) => match self.region.try_alloc(text.clone()) {
                Ok(value) => self.values.push((value, text.clone())),
                Err(e) => check_refusal(self.region, e, Layout::new::<String>()),
            },
            &Step::DropValue(at) => {
                if let Some(at) = at.checked_rem(self.values.len()) {
                    self.values.swap_remove(at);
                }
            }
            Step::Defragment => {
                assert!(self.region.defragment() <= self.region.stats().available_bytes)
            }
            &Step::LimitDeferred(bytes) => self.region.limit_deferred(bytes),
            Step::AddMemory => {}
        }
    }

    fn check(&self) {
        self.blocks.check();
        assert!(self.values.iter().all(|(value, text)| **value == *text));
        assert_eq!(self.region.check(), Ok(()));
        let stats = self.region.stats();
        let bytes: usize = self.blocks.all.iter().map(|block| block.layout.size()).sum();
        assert!(bytes + self.values.len() * size_of::<String>() <= stats.in_use_bytes);
        let ends = 8 * stats.buffers + stats.edge_bytes;
        assert_eq!(stats.in_use_bytes + stats.available_bytes + ends, stats.buffer_bytes);
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_region_keeps_everything(
        steps in steps(), bytes in 60..40_000usize, skip in 0..16usize, piece in 60..5000usize,
    ) {
        let mut memory = vec![MaybeUninit::uninit(); bytes + skip];
        let mut more = vec![MaybeUninit::uninit(); 3 * piece];
        let mut pieces = more.chunks_mut(piece);
        let mut region = Region::new(&mut memory[skip..]);
        let mut model = Model { region: &region, blocks: Blocks::default(), values: Vec::new() };
        for step in &steps {
            if let (Step::AddMemory, Some(piece)) = (step, pieces.next()) {
                region.add_memory(piece).unwrap();
            }
            model.take(step);
            model.check();
        }
        model.blocks.all.drain(..).for_each(|block| {
            // SAFETY: the block was in use until now.
            unsafe { region.deallocate(block.at, block.layout) }
        });
        drop(model);
        prop_assert_eq!((region.stats().in_use_bytes, region.check()), (0, Ok(())));
        region.reset();
    }
}
