//! Changes within vectors: elements that come and go elsewhere than at the end.

use core::ptr::NonNull;

use super::ArenaVec;
use crate::error::AllocError;

impl<T> ArenaVec<'_, '_, T> {
    /// Puts an element in front of the one at `index`, or at the end. Moves all behind it.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 3]);
    /// list.insert(1, 2);
    /// assert_eq!(list, [1, 2, 3]);
    /// ```
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
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// assert_eq!(list.remove(0), 1);
    /// assert_eq!(list, [2, 3]);
    /// ```
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
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// assert_eq!(list.swap_remove(0), 1);
    /// assert_eq!(list, [3, 2]);
    /// ```
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
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// list.truncate(1);
    /// assert_eq!(list, [1]);
    /// ```
    pub fn truncate(&mut self, len: usize) {
        let Some(dropped) = self.len.checked_sub(len) else { return };
        self.len = len; // first: should a destructor panic, the others are forgotten
        // SAFETY: these elements were there, and are the vector's no more.
        unsafe {
            let tail = NonNull::slice_from_raw_parts(self.first.add(len), dropped);
            tail.drop_in_place();
        }
    }

    /// Drops all elements; the memory stays the vector's.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.push(String::from("dropped here"));
    /// list.clear();
    /// assert!(list.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops the elements for which `keep` is false; the others stay in order.
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend(0..6);
    /// list.retain(|n| *n % 2 == 0);
    /// assert_eq!(list, [0, 2, 4]);
    /// ```
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
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend_from_slice(&["a", "b"]);
    /// assert_eq!(list, ["a", "b"]);
    /// ```
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
}

impl ArenaVec<'_, '_, u8> {
    /// Appends bytes by one copy.
    #[inline]
    pub(super) fn try_append(&mut self, bytes: &[u8]) -> Result<(), AllocError> {
        self.try_reserve(bytes.len())?;
        // SAFETY: there is room, and bytes that are lent lie elsewhere.
        unsafe {
            let end = self.first.add(self.len);
            NonNull::from(bytes).cast().copy_to_nonoverlapping(end, bytes.len());
        }
        self.len += bytes.len();
        Ok(())
    }
}
