//! Vectors in arenas and scopes.

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::Room;
use super::block::{Block, FIRST_BLOCK};
use crate::ArenaBox;
use crate::error::AllocError;
use crate::fill::refuse_destructors;
use crate::owned::InArena;

/// A vector in an arena or scope, made by [`Arena::vec`](crate::Arena::vec) and
/// [`Scope::vec`](crate::Scope::vec).
///
/// It grows in place unless something else was allocated after it, and frees unused capacity when
/// it is turned into a slice. Elements are dropped with the vector.
///
/// A vector borrows its arena or scope for `'grow`, so no child can be opened while it may grow. A
/// [`CheckedScope`](crate::CheckedScope) can open one. Until that child ends, the vector frees
/// nothing, and growing fails with [`ChildIsOpen`](AllocError::ChildIsOpen).
///
/// The slices it turns into ([`into_slice`](Self::into_slice),
/// [`into_boxed_slice`](Self::into_boxed_slice)) live for `'live`, like anything else allocated
/// there.
///
/// # Complexity
///
/// As for `Vec`, except that growth in place moves nothing. When a vector moves, its old block
/// stays in use until the arena is reset or the scope ends.
///
/// # Examples
///
/// ```
/// let mut arena = heapsmith::Arena::new();
/// arena.scope(|outer| {
///     let mut squares = outer.vec();
///     squares.extend((0..10).map(|n| n * n));
///     let squares = squares.into_slice();
///     outer.scope(|_| assert_eq!(squares[9], 81)); // a slice does not borrow the scope
/// });
/// ```
pub struct ArenaVec<'live, 'grow, T> {
    pub(super) first: NonNull<T>, // `len` elements, with room for `capacity`
    pub(super) len: usize,
    capacity: usize,
    room: Room<'grow>,
    owned: PhantomData<(&'live (), T)>,
}

impl ArenaVec<'_, '_, u8> {
    /// Allocates the block that the first growth of this new vector would allocate, if there is
    /// room.
    #[inline]
    pub(super) fn begin(&mut self) {
        debug_assert_eq!(self.capacity, 0);
        if let Ok(first) = self.room.bump().and_then(|bump| bump.allocate(FIRST_BLOCK)) {
            (self.first, self.capacity) = (first, FIRST_BLOCK.size());
        }
    }
}

impl<'live, 'grow, T> ArenaVec<'live, 'grow, T> {
    #[inline]
    pub(crate) fn new(room: Room<'grow>) -> Self {
        let capacity = if size_of::<T>() == 0 { usize::MAX } else { 0 };
        Self { first: NonNull::dangling(), len: 0, capacity, room, owned: PhantomData }
    }

    #[inline]
    pub(super) fn room(&self) -> Room<'grow> {
        self.room
    }

    /// Returns the number of elements that the vector can hold without allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// assert_eq!(arena.vec_with_capacity::<u8>(7).capacity(), 7);
    /// assert_eq!(arena.vec::<()>().capacity(), usize::MAX); // they need no memory
    /// ```
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the elements as a slice.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(1);
    /// assert_eq!(list.as_slice(), [1]);
    /// ```
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: the vector has `len` elements.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).as_ref() }
    }

    /// Returns the elements as a mutable slice.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([3, 1, 2]);
    /// list.as_mut_slice().sort();
    /// assert_eq!(list, [1, 2, 3]);
    /// ```
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: the vector has `len` elements.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).as_mut() }
    }

    /// Reserves capacity for at least `additional` more elements.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.reserve(10);
    /// let before = list.capacity();
    /// list.extend(0..10);
    /// assert_eq!(list.capacity(), before);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.try_reserve(additional).unwrap_or_else(|e| e.panic());
    }

    /// Like [`reserve`](Self::reserve), but returns an error if there is no room. The vector is
    /// unchanged then.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        if self.make_room(additional) { Ok(()) } else { Err(self.refusal(additional)) }
    }

    /// Reserves capacity for exactly `additional` more elements, without extra for later growth.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec::<u32>();
    /// list.reserve_exact(5);
    /// assert_eq!(list.capacity(), 5);
    /// ```
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        self.try_reserve_exact(additional).unwrap_or_else(|e| e.panic());
    }

    /// Like [`reserve_exact`](Self::reserve_exact), but returns an error if there is no room. The
    /// vector is unchanged then.
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), AllocError> {
        if additional <= self.capacity - self.len {
            return Ok(());
        }
        let capacity = self.len.checked_add(additional).ok_or(AllocError::TooLarge)?;
        (self.first, self.capacity) = self.block().resized(capacity)?;
        Ok(())
    }

    /// Makes room for more elements, or returns `false`. An error in the result would have to be
    /// tested again, and the registers of a caller that goes on would be kept until then.
    #[inline(always)]
    pub(super) fn make_room(&mut self, additional: usize) -> bool {
        if additional <= self.capacity - self.len {
            return true;
        }
        match Block::grown(self.first, self.capacity, self.room, self.len, additional) {
            Some(block) => {
                (self.first, self.capacity) = block;
                true
            }
            None => false,
        }
    }

    /// Why `make_room` failed.
    #[inline(always)]
    pub(super) fn refusal(&self, additional: usize) -> AllocError {
        Block::<T>::refusal(self.room, self.len, additional)
    }

    #[inline(always)]
    fn block(&self) -> Block<'grow, T> {
        Block { first: self.first, capacity: self.capacity, room: self.room }
    }

    /// Frees the unused capacity if nothing was allocated after the vector.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(1u64);
    /// list.shrink_to_fit();
    /// assert_eq!((list.capacity(), arena.stats().used), (1, 8));
    /// ```
    #[inline]
    pub fn shrink_to_fit(&mut self) {
        let (old, new) = (self.block().bytes(), self.len * size_of::<T>());
        // SAFETY: the block is this vector's, and nothing behind the last element is used.
        if unsafe { self.room.shrink(self.first.cast(), old, new) } {
            self.capacity = self.len;
        }
    }

    /// Appends an element.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(1);
    /// list.push(2);
    /// assert_eq!(list, [1, 2]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        if !self.make_room(1) {
            self.refusal(1).panic();
        }
        // SAFETY: there is room.
        unsafe { self.put(value) };
    }

    /// Like [`push`](Self::push), but returns an error if there is no room; the value is dropped
    /// then.
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), AllocError> {
        if !self.make_room(1) {
            return Err(self.refusal(1));
        }
        // SAFETY: there is room.
        unsafe { self.put(value) };
        Ok(())
    }

    /// # Safety
    /// There is room for an element.
    #[inline(always)]
    unsafe fn put(&mut self, value: T) {
        let len = self.len; // read once: for the compiler, writing the value could change it
        // SAFETY: there is room after the last element.
        unsafe { self.first.add(len).write(value) };
        self.len = len + 1;
    }

    /// Removes and returns the last element, or returns `None` if the vector is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2]);
    /// assert_eq!((list.pop(), list.pop(), list.pop()), (Some(2), Some(1), None));
    /// ```
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: the element was the vector's, and is no longer.
        Some(unsafe { self.first.add(self.len).read() })
    }

    /// Turns the vector into a slice, which lives as long as the arena or scope. Unused capacity is
    /// freed if nothing was allocated after the vector.
    ///
    /// Elements with destructors do not compile here. Use
    /// [`into_boxed_slice`](Self::into_boxed_slice) for those.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// let slice: &mut [u64] = list.into_slice();
    /// assert_eq!((slice.len(), arena.stats().used), (3, 24));
    /// ```
    #[inline]
    pub fn into_slice(self) -> &'live mut [T] {
        const { refuse_destructors::<T>() };
        ArenaBox::leak(self.into_boxed_slice())
    }

    /// Turns the vector into a boxed slice, which drops its elements. Unused capacity is freed if
    /// nothing was allocated after the vector.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(String::from("dropped with the box"));
    /// let names: heapsmith::ArenaBox<'_, [String]> = list.into_boxed_slice();
    /// assert_eq!(names.len(), 1);
    /// ```
    #[inline]
    pub fn into_boxed_slice(mut self) -> ArenaBox<'live, [T]> {
        self.take_boxed_slice()
    }

    /// Takes all elements out. Not by value: moves of a vector whose address was shown go through
    /// memory.
    #[inline]
    pub(super) fn take_boxed_slice(&mut self) -> ArenaBox<'live, [T]> {
        self.shrink_to_fit();
        let elements = NonNull::slice_from_raw_parts(self.first, self.len);
        // The vector neither drops the elements nor frees the block.
        (self.len, self.capacity) = (0, 0);
        // SAFETY: the elements live that long, and this was their owner.
        unsafe { ArenaBox::from_parts(elements, InArena) }
    }
}

impl<T> Drop for ArenaVec<'_, '_, T> {
    fn drop(&mut self) {
        self.clear();
        self.shrink_to_fit();
    }
}
