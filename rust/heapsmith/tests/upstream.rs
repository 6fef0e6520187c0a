//! Arenas that take their pieces from heaps, regions and other arenas.

use core::alloc::Layout;
use core::cell::RefCell;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith::{Arena, ArenaVec, BufferArena, CollectIn, Upstream, UpstreamArena};

/// Checks that each piece is freed once, with its layout, and refuses pieces on demand.
#[derive(Default)]
struct Recorder {
    live: RefCell<Vec<(NonNull<u8>, Layout)>>,
    room: core::cell::Cell<Option<usize>>,
}

// SAFETY: the blocks are those of the global allocator.
unsafe impl Upstream for Recorder {
    fn allocate_piece(&self, layout: Layout) -> Option<NonNull<u8>> {
        assert!(layout.size() > 0 && layout.align() == 16);
        if self.room.get().is_some_and(|room| layout.size() > room) {
            return None;
        }
        // SAFETY: the size is not 0.
        let piece = NonNull::new(unsafe { std::alloc::alloc(layout) })?;
        self.live.borrow_mut().push((piece, layout));
        Some(piece)
    }

    unsafe fn deallocate_piece(&self, piece: NonNull<u8>, layout: Layout) {
        let mut live = self.live.borrow_mut();
        let at = live.iter().position(|&block| block == (piece, layout)).expect("a live piece");
        live.remove(at);
        // SAFETY: the piece was allocated with this layout.
        unsafe { std::alloc::dealloc(piece.as_ptr(), layout) }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        assert!(self.live.borrow().is_empty());
    }
}

fn bytes(recorder: &Recorder) -> usize {
    recorder.live.borrow().iter().map(|(_, layout)| layout.size()).sum()
}

#[test]
fn pieces_come_from_upstream_and_go_back() {
    let recorder = Recorder::default();
    let mut arena = Arena::new_in(&recorder);
    assert_eq!(bytes(&recorder), 0);
    for n in 0..10_000u64 {
        arena.alloc(n);
    }
    assert!(recorder.live.borrow().len() > 1);
    assert!(bytes(&recorder) > arena.stats().held);
    arena.reset();
    assert_eq!(recorder.live.borrow().len(), 1); // the largest piece
    drop(arena);
    assert_eq!(bytes(&recorder), 0);
}

#[test]
fn a_first_piece_is_taken_early() {
    let recorder = Recorder::default();
    let arena = Arena::with_capacity_in(1000, &recorder);
    assert!(arena.remaining() >= 1000 && recorder.live.borrow().len() == 1);
    arena.alloc([0u8; 1000]);
    assert_eq!(recorder.live.borrow().len(), 1);
}

#[test]
fn a_refusal_is_an_error() {
    let recorder = Recorder::default();
    recorder.room.set(Some(0));
    let arena = Arena::new_in(&recorder);
    assert!(arena.try_alloc(1).is_err());
    assert!(Arena::try_with_capacity_in(1, &recorder).is_err());
    assert!(Arena::try_with_capacity_in(usize::MAX, &recorder).is_err());
    recorder.room.set(Some(1000)); // less than the size of a first piece
    assert_eq!(*arena.alloc(7), 7);
    recorder.room.set(None);
    arena.alloc([0u8; 5000]);
}

#[test]
fn everything_that_works_in_an_arena_works() {
    fn squares(arena: &Arena) -> &mut [u32] {
        (0..100).map(|n| n * n).collect_in(arena)
    }
    let recorder = Recorder::default();
    let mut arena = Arena::new_in(&recorder);
    assert_eq!(squares(&arena)[9], 81);
    let list: ArenaVec<'_, '_, u8> = (0..9).collect_in(&arena);
    assert_eq!(list.len(), 9);
    drop(list);
    let here = arena.checkpoint();
    arena.scope(|scope| {
        let list: &mut Vec<u8> = scope.alloc_drop(vec![1]);
        list.push(2);
    });
    arena.alloc([0u8; 50_000]);
    arena.rewind(here);
    assert!(arena.checkpoint() == here);
    assert_eq!(arena.pieces().count(), 1);
    assert!(format!("{arena:?}").starts_with("UpstreamArena(Arena {"));
}

/// The newest piece is freed first, so that all of the memory can be used again.
#[test]
fn an_arena_in_an_arena_gives_its_memory_back() {
    let outer = Arena::with_capacity(1 << 20);
    outer.alloc(1u8);
    let before = outer.stats().used;
    let inner = Arena::new_in(&outer);
    for _ in 0..100 {
        inner.alloc([0u8; 1000]);
    }
    let innermost = Arena::new_in(&*inner);
    innermost.alloc(1);
    drop(innermost);
    assert!(outer.stats().used > before + 100_000);
    drop(inner);
    assert!(outer.stats().used < before + 16); // but for the alignment
}

#[test]
fn scopes_and_buffers_are_upstreams() {
    let mut buffer = [MaybeUninit::uninit(); 10_000];
    let mut memory = BufferArena::new(&mut buffer);
    assert!(Arena::new_in(&memory).try_alloc([0u8; 20_000]).is_err());
    let used = memory.stats().used;
    memory.scope(|scope| {
        let arena: UpstreamArena<'_, _> = Arena::new_in(scope);
        assert_eq!(arena.alloc_str("text"), "text");
    });
    let level = memory.checked_scope();
    let arena = Arena::new_in(&level);
    {
        let child = level.child();
        assert!(arena.try_alloc(1).is_err()); // its upstream has an open child
        child.alloc(2);
    }
    assert_eq!(*arena.alloc(3), 3);
    drop(arena);
    drop(level);
    assert_eq!(memory.stats().used, used);
}

#[cfg(feature = "heap")]
mod heaps {
    use super::*;
    use heapsmith::{Heap, Heapsmith};

    #[test]
    fn a_heap_counts_and_limits_its_arenas() {
        let heap = Heap::new();
        heap.set_limit(Some(1 << 20));
        let arena = Arena::new_in(&heap);
        arena.alloc_slice_fill(100_000, 1u8);
        assert!(heap.stats().in_use_bytes >= arena.stats().held);
        assert!(arena.try_alloc_slice_fill(2 << 20, 0u8).is_err());
        drop(arena);
        assert_eq!(heap.stats().in_use_bytes, 0);
    }

    #[test]
    fn an_arena_in_a_heap_is_sent_to_another_thread() {
        let heap = Heap::new();
        let arena = Arena::new_in(&heap);
        arena.alloc(1);
        std::thread::scope(|threads| {
            threads.spawn(move || assert_eq!(*arena.alloc([2u8; 10_000]), [2; 10_000]));
        });
        let global = Arena::new_in(&Heapsmith);
        assert_eq!(*global.alloc(3), 3);
    }
}

#[cfg(feature = "region")]
#[test]
fn a_region_is_an_upstream() {
    let mut buffer = [MaybeUninit::uninit(); 20_000];
    let region = heapsmith::Region::new(&mut buffer);
    let arena = Arena::new_in(&region);
    arena.alloc([0u8; 5000]);
    assert!(region.stats().in_use_bytes >= 5000);
    assert!(arena.try_alloc([0u8; 20_000]).is_err());
    drop(arena);
    assert_eq!(region.stats().in_use_bytes, 0);
    let shared = heapsmith::SyncRegion::new(region);
    let arena = Arena::new_in(&shared);
    arena.alloc([0u8; 5000]);
    assert!(shared.with(|region| region.stats().in_use_bytes) >= 5000);
}
