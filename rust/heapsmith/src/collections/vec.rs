//! Vectors in arenas and scopes.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use super::{ArenaBox, Room};
use crate::error::AllocError;
use crate::methods::{array_layout, refuse_destructors};

/// How many elements the first block has, unless more are asked for.
const FIRST_CAPACITY: usize = 4;

/// A vector in an arena or scope, made by [`Arena::vec`](crate::Arena::vec) and
/// [`Scope::vec`](crate::Scope::vec).
///
/// It grows where it is while nothing else is allocated behind it, and gives back what it has not
/// used when it becomes a slice. Elements are dropped with it.
///
/// It borrows the arena or scope for `'grow`: while it may grow, no child can be opened. What it
/// becomes ([`into_slice`](Self::into_slice), [`into_boxed_slice`](Self::into_boxed_slice)) lives
/// for `'live`, like anything else allocated there.
///
/// ```
/// let mut arena = heapsmith::Arena::new();
/// arena.scope(|outer| {
///     let mut squares = outer.vec();
///     squares.extend((0..10).map(|n| n * n));
///     let squares = squares.into_slice();
///     outer.scope(|_| assert_eq!(squares[9], 81)); // a slice does not keep children closed
/// });
/// ```
///
/// Complexity: as `Vec`, but growth at the end of the arena moves nothing. A block that is left
/// behind stays taken until the arena goes back.
pub struct ArenaVec<'live, 'grow, T> {
    first: NonNull<T>,
    len: usize,
    capacity: usize,
    room: Room<'grow>,
    owned: PhantomData<(&'live (), T)>,
}

impl<'live, 'grow, T> ArenaVec<'live, 'grow, T> {
    #[inline]
    pub(crate) fn new(room: Room<'grow>) -> Self {
        let capacity = if size_of::<T>() == 0 { usize::MAX } else { 0 };
        Self { first: NonNull::dangling(), len: 0, capacity, room, owned: PhantomData }
    }

    /// How many elements it can have without asking for memory.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Its elements as a slice, which it dereferences to.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: so many elements are there.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).as_ref() }
    }

    /// Its elements as a slice that may be written.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: so many elements are there.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).as_mut() }
    }

    /// Sees to it that so many more elements find room; more, so that pushing stays cheap.
    ///
    /// # Panics
    /// When there is no memory for them.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.try_reserve(additional).unwrap_or_else(|e| e.panic());
    }

    /// [`reserve`](Self::reserve), or an error; the vector is unchanged then.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        if additional <= self.capacity - self.len { Ok(()) } else { self.grow(additional) }
    }

    /// Sees to it that just so many more elements find room, or returns an error.
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), AllocError> {
        if additional <= self.capacity - self.len {
            return Ok(());
        }
        self.grow_to(self.len.checked_add(additional).ok_or(AllocError::TooLarge)?)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, additional: usize) -> Result<(), AllocError> {
        let needed = self.len.checked_add(additional).ok_or(AllocError::TooLarge)?;
        let wanted = needed.max(self.capacity.saturating_mul(2)).max(FIRST_CAPACITY);
        self.grow_to(wanted).or_else(|_| self.grow_to(needed))
    }

    fn grow_to(&mut self, capacity: usize) -> Result<(), AllocError> {
        let new = array_layout::<T>(capacity)?;
        // SAFETY: the block came from this room with the layout of its capacity.
        self.first = unsafe { self.room.grow(self.first.cast(), self.layout(), new)? }.cast();
        self.capacity = capacity;
        Ok(())
    }

    /// The layout of the block.
    fn layout(&self) -> Layout {
        if size_of::<T>() == 0 {
            return Layout::new::<T>();
        }
        array_layout::<T>(self.capacity).expect("the block was allocated")
    }

    /// Gives back the memory behind the last element, if nothing was allocated after it.
    pub fn shrink_to_fit(&mut self) {
        let (old, new) = (self.layout().size(), self.len * size_of::<T>());
        // SAFETY: the block is this vector's; nothing lies behind the last element.
        if unsafe { self.room.shrink(self.first.cast(), old, new) } {
            self.capacity = self.len;
        }
    }

    /// Appends an element.
    ///
    /// # Panics
    /// When there is no room.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        self.try_push(value).unwrap_or_else(|e| e.panic());
    }

    /// [`push`](Self::push), or an error when there is no room; the value is dropped then.
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), AllocError> {
        self.try_reserve(1)?;
        // SAFETY: there is room behind the last element.
        unsafe { self.first.add(self.len).write(value) };
        self.len += 1;
        Ok(())
    }

    /// Takes the last element, if there is one.
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: the element is there, and is the vector's no more.
        Some(unsafe { self.first.add(self.len).read() })
    }

    /// Puts an element in front of the one at `index`, or at the end. Moves all behind it.
    ///
    /// # Panics
    /// When there is no room, or the index lies beyond the end.
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: T) {
        self.try_insert(index, value).unwrap_or_else(|e| e.panic());
    }

    /// [`insert`](Self::insert), or an error when there is no room; the value is dropped then.
    ///
    /// # Panics
    /// When the index lies beyond the end.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, value: T) -> Result<(), AllocError> {
        assert!(index <= self.len, "insert: index {index} lies beyond the {} elements", self.len);
        self.try_reserve(1)?;
        // SAFETY: there is room for one more, and the index is within.
        unsafe {
            let place = self.first.add(index);
            place.copy_to(place.add(1), self.len - index);
            place.write(value);
        }
        self.len += 1;
        Ok(())
    }

    /// Takes the element at `index`, and moves all behind it.
    ///
    /// # Panics
    /// When there is no such element.
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        assert!(index < self.len, "remove: there is no element {index}, only {}", self.len);
        self.len -= 1;
        // SAFETY: the element is there, and so are those behind it.
        unsafe {
            let place = self.first.add(index);
            let value = place.read();
            place.add(1).copy_to(place, self.len - index);
            value
        }
    }

    /// Takes the element at `index`, and puts the last one there.
    ///
    /// # Panics
    /// When there is no such element.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let last = self.len.checked_sub(1).expect("swap_remove: there is no element at all");
        self.as_mut_slice().swap(index, last);
        self.len = last;
        // SAFETY: the element is there, and is the vector's no more.
        unsafe { self.first.add(last).read() }
    }

    /// Drops all elements from the `len`th on.
    pub fn truncate(&mut self, len: usize) {
        let Some(dropped) = self.len.checked_sub(len) else { return };
        self.len = len; // first: should a destructor panic, the others are forgotten
        // SAFETY: these elements were there, and are the vector's no more.
        unsafe {
            let tail = NonNull::slice_from_raw_parts(self.first.add(len), dropped);
            ptr::drop_in_place(tail.as_ptr());
        }
    }

    /// Drops all elements; the memory stays the vector's.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops the elements for which `keep` is false; the others stay in order.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(&mut self[i]) {
                self.swap(kept, i);
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// Appends clones of elements.
    ///
    /// # Panics
    /// When there is no room.
    #[track_caller]
    pub fn extend_from_slice(&mut self, from: &[T])
    where
        T: Clone,
    {
        self.try_extend_from_slice(from).unwrap_or_else(|e| e.panic());
    }

    /// [`extend_from_slice`](Self::extend_from_slice), or an error, and then nothing is appended.
    pub fn try_extend_from_slice(&mut self, from: &[T]) -> Result<(), AllocError>
    where
        T: Clone,
    {
        self.try_reserve(from.len())?;
        for value in from {
            // SAFETY: there is room for all of them.
            unsafe { self.first.add(self.len).write(value.clone()) };
            self.len += 1;
        }
        Ok(())
    }

    /// Its elements, which live as long as the arena or scope. What it had reserved beyond them is
    /// given back.
    ///
    /// Elements with destructors do not compile here: [`into_boxed_slice`](Self::into_boxed_slice)
    /// drops them.
    pub fn into_slice(self) -> &'live mut [T] {
        const { refuse_destructors::<T>() };
        ArenaBox::leak(self.into_boxed_slice())
    }

    /// Its elements and the duty to drop them. What it had reserved beyond them is given back.
    pub fn into_boxed_slice(mut self) -> ArenaBox<'live, [T]> {
        self.shrink_to_fit();
        let all = ManuallyDrop::new(self);
        let elements = NonNull::slice_from_raw_parts(all.first, all.len);
        // SAFETY: the elements are there, and this was their owner.
        unsafe { ArenaBox::from_raw(elements.as_ptr()) }
    }
}

impl<T> Drop for ArenaVec<'_, '_, T> {
    fn drop(&mut self) {
        self.clear();
        self.shrink_to_fit();
    }
}
