//! Random steps on arenas and nested scopes of each kind, compared with a model. PROPTEST_CASES
//! sets the number of cases.

mod support;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::NonNull;
use std::cell::RefCell;

use heapsmith::{AllocError, Arena, BufferArena, CheckedScope, Scope};
use proptest::prelude::*;
use support::{Block, Blocks, cases};

#[derive(Clone, Debug)]
enum Step {
    Raw(usize, usize),
    /// Resizes the last block.
    Resize(usize),
    Slice(usize),
    Text(usize),
    /// Two vectors that grow in turn.
    Vectors(usize, usize),
    /// A value with a destructor, or a slice of values with destructors.
    Value,
    Values(usize),
    Box,
    Scope(Vec<Step>),
    Guard(Vec<Step>),
    Checkpoint,
    /// Rewinds to one of all checkpoints.
    Rewind(usize),
    Reset,
}

fn leaf() -> impl Strategy<Value = Step> {
    let bytes = || prop_oneof![8 => 0..64usize, 2 => 0..600usize, 1 => 4000..9000usize];
    prop_oneof![
        8 => (bytes(), 0..9u32).prop_map(|(n, shift)| Step::Raw(n, 1 << shift)),
        3 => bytes().prop_map(Step::Resize),
        3 => (0..40usize).prop_map(Step::Slice),
        2 => (0..40usize).prop_map(Step::Text),
        2 => (0..30usize, 0..30usize).prop_map(|(a, b)| Step::Vectors(a, b)),
        6 => Just(Step::Value),
        2 => (0..5usize).prop_map(Step::Values),
        2 => Just(Step::Box),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let most = if cfg!(miri) { 4 } else { 12 };
    let tree =
        leaf().prop_recursive(if cfg!(miri) { 2 } else { 4 }, 80, most as u32, move |inner| {
            let body = || prop::collection::vec(inner.clone(), 0..most);
            prop_oneof![4 => inner.clone(), 1 => body().prop_map(Step::Scope),
                    1 => body().prop_map(Step::Guard)]
        });
    let top = prop_oneof![
        8 => tree,
        1 => Just(Step::Checkpoint),
        1 => any::<usize>().prop_map(Step::Rewind),
        1 => Just(Step::Reset),
    ];
    prop::collection::vec(top, 0..2 * most)
}

thread_local!(static DROPPED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) });

/// Records its number when it is dropped.
struct Noted(usize);

impl Drop for Noted {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|all| all.push(self.0));
    }
}

/// The model.
#[derive(Default)]
struct Model {
    blocks: Blocks,
    /// The number of blocks when the last one was raw.
    last_raw: usize,
    /// The number of values with destructors that were made.
    made: usize,
}

impl Model {
    fn enter<T: ?Sized>(&mut self, value: &mut T) {
        let layout = Layout::for_value(value);
        self.blocks.enter(NonNull::from(value).cast(), layout);
    }

    fn enter_raw(&mut self, at: NonNull<u8>, layout: Layout) {
        self.blocks.enter(at, layout);
        self.last_raw = self.blocks.all.len();
    }

    /// Removes the last block from the model if it is raw and among those from the `base`th on.
    fn pop_raw(&mut self, base: usize) -> Option<Block> {
        let live = self.blocks.all.len();
        if live > base && live == self.last_raw { self.blocks.all.pop() } else { None }
    }

    /// Ends a scope: its values were dropped in reverse order, and everything else is unchanged.
    fn leave(&mut self, live: usize, expected: Vec<usize>) {
        self.blocks.all.truncate(live);
        self.last_raw = 0;
        assert_eq!(DROPPED.take(), expected);
        self.blocks.check();
    }
}

/// A step on an arena or a scope of any kind, which has the blocks from the `$base`th on.
macro_rules! take {
    ($scope:expr, $step:expr, $model:expr, $base:expr) => {
        match *$step {
            Step::Raw(bytes, align) => {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                match $scope.allocate(layout) {
                    Ok(at) => $model.enter_raw(at, layout),
                    Err(AllocError::NoRoom { layout: l, .. }) => assert_eq!(l, layout),
                    Err(e) => panic!("{e}"),
                }
            }
            Step::Resize(bytes) => {
                if let Some(block) = $model.pop_raw($base) {
                    let layout = Layout::from_size_align(bytes, block.layout.align()).unwrap();
                    // SAFETY: the block is live, and nothing else refers to it.
                    match unsafe { $scope.reallocate(block.at, block.layout, layout) } {
                        Ok(at) => {
                            assert!(Block { at, ..block }.holds(bytes.min(block.layout.size())));
                            $model.enter_raw(at, layout);
                        }
                        Err(_) => $model.blocks.all.push(block),
                    }
                }
            }
            Step::Slice(len) => {
                if let Ok(slice) = $scope.try_alloc_slice_with(len, |i| i as u64) {
                    assert!(slice.iter().copied().eq(0..len as u64));
                    $model.enter(slice);
                }
            }
            Step::Text(len) => {
                let mut text = $scope.string();
                while text.len() < len && text.try_push('ä').is_ok() {}
                assert!(text.chars().all(|c| c == 'ä'));
                // SAFETY: it is not used as a string any more.
                $model.enter(unsafe { text.into_str().as_bytes_mut() });
            }
            Step::Vectors(a, b) => {
                let (mut x, mut y) = ($scope.vec(), $scope.vec());
                for n in 0..a.max(b) {
                    let _ = (n < a && x.try_push(n).is_ok(), n < b && y.try_push(n as u8).is_ok());
                }
                assert!(x.iter().copied().eq(0..x.len()) && y.iter().copied().eq(0..y.len() as u8));
                let (x, y) = (x.into_slice(), y.into_slice());
                $model.enter(x);
                $model.enter(y);
            }
            Step::Box => {
                drop($scope.try_alloc_box(Noted(usize::MAX)));
                assert_eq!(DROPPED.with_borrow_mut(Vec::pop), Some(usize::MAX));
            }
            _ => {}
        }
    };
}

/// A step with destructors. `$expected` lists what the end of the scope must drop, in that order.
macro_rules! take_values {
    ($scope:expr, $step:expr, $model:expr, $expected:expr) => {{
        let first = $model.made;
        let (count, is_made) = match *$step {
            Step::Value => (1, $scope.try_alloc_drop_with(|| Noted(first)).is_ok()),
            Step::Values(n) => {
                (n, $scope.try_alloc_drop_slice_with(n, |i| Noted(first + i)).is_ok())
            }
            _ => unreachable!(),
        };
        if is_made {
            $model.made += count;
            $expected.splice(0..0, first..first + count);
        }
    }};
}

fn in_scope(scope: &mut Scope<'_, '_>, steps: &[Step], model: &mut Model) -> Vec<usize> {
    let (base, mut expected) = (model.blocks.all.len(), Vec::new());
    for step in steps {
        let live = model.blocks.all.len();
        match step {
            Step::Scope(steps) => {
                let ends = scope.scope(|inner| in_scope(inner, steps, model));
                model.leave(live, ends);
            }
            Step::Guard(steps) => {
                let ends = in_scope(&mut scope.guard().scope(), steps, model);
                model.leave(live, ends);
            }
            Step::Value | Step::Values(_) => take_values!(scope, step, model, expected),
            _ => take!(scope, step, model, base),
        }
    }
    model.blocks.check();
    expected
}

fn in_checked(scope: CheckedScope<'_>, steps: &[Step], model: &mut Model) -> Vec<usize> {
    let (base, mut expected) = (model.blocks.all.len(), Vec::new());
    for step in steps {
        let live = model.blocks.all.len();
        match step {
            Step::Scope(steps) | Step::Guard(steps) => {
                let child = scope.child();
                assert_eq!(scope.try_alloc(1).err(), Some(AllocError::ChildIsOpen));
                let ends = in_checked(child, steps, model);
                model.leave(live, ends);
            }
            Step::Value | Step::Values(_) => take_values!(scope, step, model, expected),
            _ => take!(scope, step, model, base),
        }
    }
    model.blocks.check();
    expected
}

fn addresses(piece: &[MaybeUninit<u8>]) -> Range<usize> {
    let piece = piece.as_ptr_range();
    piece.start.addr()..piece.end.addr()
}

/// Takes the steps in an arena or in one in a buffer, which have the same methods.
macro_rules! in_arena {
    ($arena:expr, $steps:expr, $are_checked:expr) => {{
        let mut arena = $arena;
        let mut model = Model::default();
        let mut checkpoints = vec![(arena.checkpoint(), 0, arena.stats().used)];
        for step in $steps {
            let (live, used) = (model.blocks.all.len(), arena.stats().used);
            match step {
                Step::Scope(steps) | Step::Guard(steps) if $are_checked => {
                    let ends = in_checked(arena.checked_scope(), steps, &mut model);
                    model.leave(live, ends);
                    assert_eq!(arena.stats().used, used);
                }
                Step::Scope(steps) => {
                    let ends = arena.scope(|inner| in_scope(inner, steps, &mut model));
                    model.leave(live, ends);
                    assert_eq!(arena.stats().used, used);
                }
                Step::Guard(steps) => {
                    let ends = in_scope(&mut arena.guard().scope(), steps, &mut model);
                    model.leave(live, ends);
                    assert_eq!(arena.stats().used, used);
                }
                Step::Checkpoint => checkpoints.push((arena.checkpoint(), live, used)),
                Step::Rewind(to) => {
                    checkpoints.truncate(to % checkpoints.len() + 1);
                    let &(checkpoint, live, used) = checkpoints.last().unwrap();
                    arena.rewind(checkpoint);
                    model.leave(live, Vec::new());
                    assert_eq!(arena.stats().used, used);
                }
                Step::Reset => {
                    arena.reset();
                    model.leave(0, Vec::new());
                    assert_eq!(arena.stats().used, 0);
                    checkpoints = vec![(arena.checkpoint(), 0, 0)];
                }
                _ => take!(arena, step, model, checkpoints.last().unwrap().1),
            }
            model.blocks.check();
            let stats = arena.stats();
            let bytes: usize = model.blocks.all.iter().map(|block| block.layout.size()).sum();
            assert!(bytes <= stats.used && stats.used <= stats.held);
            assert!(arena.limit().is_none_or(|limit| stats.held <= limit));
        }
        let used = arena.stats().used;
        let pieces: Vec<_> = arena.pieces().map(addresses).collect();
        let bytes: usize = model.blocks.all.iter().map(|block| block.layout.size()).sum();
        let in_pieces = pieces.iter().map(|piece| piece.len()).sum();
        assert!(bytes <= in_pieces && in_pieces <= used); // without the unused ends of pieces
        for block in model.blocks.all.iter().filter(|block| block.layout.size() > 0) {
            let (start, end) = (block.at.addr().get(), block.at.addr().get() + block.layout.size());
            assert!(pieces.iter().any(|piece| piece.start <= start && end <= piece.end));
        }
    }};
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn a_growing_arena_keeps_everything(steps in steps(), are_checked: bool) {
        in_arena!(Arena::new(), &steps, are_checked);
    }

    #[test]
    fn an_arena_keeps_its_limit(steps in steps(), are_checked: bool, limit in 0..20000usize) {
        let arena = Arena::new();
        arena.set_limit(Some(limit));
        in_arena!(arena, &steps, are_checked);
    }

    #[test]
    fn an_arena_in_a_buffer_refuses_and_keeps_everything(
        steps in steps(), are_checked: bool, bytes in 0..5000usize,
    ) {
        let mut buffer = vec![MaybeUninit::uninit(); bytes];
        in_arena!(BufferArena::new(&mut buffer), &steps, are_checked);
    }

    #[test]
    fn an_arena_that_starts_in_a_buffer_goes_on(
        steps in steps(), are_checked: bool, bytes in 0..2000usize,
    ) {
        let mut buffer = vec![MaybeUninit::uninit(); bytes];
        in_arena!(BufferArena::growing(&mut buffer), &steps, are_checked);
    }
}
