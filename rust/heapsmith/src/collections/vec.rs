//! Vectors in arenas and scopes.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::{ArenaBox, Room};
use crate::error::AllocError;
use crate::methods::{array_layout, refuse_destructors};

/// How many bytes the first block has at least, or elements, unless more are asked for. What is not
/// used can be given back.
const FIRST_BYTES: usize = 64;
const FIRST_ELEMENTS: usize = 4;

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
    pub(super) first: NonNull<T>, // `len` elements, with room for `capacity`
    pub(super) len: usize,
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
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// assert_eq!(arena.vec_with_capacity::<u8>(7).capacity(), 7);
    /// assert_eq!(arena.vec::<()>().capacity(), usize::MAX); // they need no memory
    /// ```
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Its elements as a slice, which it dereferences to.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(1);
    /// assert_eq!(list.as_slice(), [1]);
    /// ```
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: so many elements are there.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).as_ref() }
    }

    /// Its elements as a slice that may be written.
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
        // SAFETY: so many elements are there.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).as_mut() }
    }

    /// Sees to it that so many more elements find room; more, so that pushing stays cheap.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.reserve(10);
    /// let before = list.capacity();
    /// list.extend(0..10);
    /// assert_eq!(list.capacity(), before);
    /// ```
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
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec::<u32>();
    /// list.try_reserve_exact(5)?;
    /// assert_eq!(list.capacity(), 5);
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
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
        let least = (FIRST_BYTES / size_of::<T>().max(1)).max(FIRST_ELEMENTS);
        let wanted = needed.max(self.capacity.saturating_mul(2)).max(least);
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
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(1u64);
    /// list.shrink_to_fit();
    /// assert_eq!((list.capacity(), arena.stats().used), (1, 8));
    /// ```
    pub fn shrink_to_fit(&mut self) {
        let (old, new) = (self.layout().size(), self.len * size_of::<T>());
        // SAFETY: the block is this vector's; nothing lies behind the last element.
        if unsafe { self.room.shrink(self.first.cast(), old, new) } {
            self.capacity = self.len;
        }
    }

    /// Appends an element.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(1);
    /// list.push(2);
    /// assert_eq!(list, [1, 2]);
    /// ```
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
        let len = self.len; // read once: the compiler cannot know that the value is not written there
        // SAFETY: there is room behind the last element.
        unsafe { self.first.add(len).write(value) };
        self.len = len + 1;
        Ok(())
    }

    /// Takes the last element, if there is one.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2]);
    /// assert_eq!((list.pop(), list.pop(), list.pop()), (Some(2), Some(1), None));
    /// ```
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: the element is there, and is the vector's no more.
        Some(unsafe { self.first.add(self.len).read() })
    }

    /// Its elements, which live as long as the arena or scope. What it had reserved beyond them is
    /// given back.
    ///
    /// Elements with destructors do not compile here: [`into_boxed_slice`](Self::into_boxed_slice)
    /// drops them.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// let slice: &mut [u64] = list.into_slice();
    /// assert_eq!((slice.len(), arena.stats().used), (3, 24));
    /// ```
    pub fn into_slice(self) -> &'live mut [T] {
        const { refuse_destructors::<T>() };
        ArenaBox::leak(self.into_boxed_slice())
    }

    /// Its elements and the duty to drop them. What it had reserved beyond them is given back.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(String::from("dropped with the box"));
    /// let names: heapsmith::ArenaBox<'_, [String]> = list.into_boxed_slice();
    /// assert_eq!(names.len(), 1);
    /// ```
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
