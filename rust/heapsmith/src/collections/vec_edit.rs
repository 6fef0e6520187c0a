//! Inserting and removing elements of a vector.

use core::ptr::NonNull;

use super::ArenaVec;
use crate::error::AllocError;

impl<T> ArenaVec<'_, '_, T> {
    /// Inserts an element at `index` and moves all elements after it.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if `index > len`.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 3]);
    /// list.insert(1, 2);
    /// assert_eq!(list, [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: T) {
        self.try_insert(index, value).unwrap_or_else(|e| e.panic());
    }

    /// Like [`insert`](Self::insert), but returns an error if there is no room. The value is
    /// dropped then.
    ///
    /// # Panics
    ///
    /// Panics if `index > len`.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, value: T) -> Result<(), AllocError> {
        assert!(index <= self.len, "insert: index {index} is out of bounds (len {})", self.len);
        self.try_reserve(1)?;
        // SAFETY: there is room for one more element, and the index is in bounds.
        unsafe {
            let at = self.first.add(index);
            at.copy_to(at.add(1), self.len - index);
            at.write(value);
        }
        self.len += 1;
        Ok(())
    }

    /// Removes and returns the element at `index`, and moves all elements after it.
    ///
    /// # Panics
    ///
    /// Panics if `index >= len`.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// assert_eq!(list.remove(0), 1);
    /// assert_eq!(list, [2, 3]);
    /// ```
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        assert!(index < self.len, "remove: index {index} is out of bounds (len {})", self.len);
        self.len -= 1;
        // SAFETY: the index is in bounds.
        unsafe {
            let at = self.first.add(index);
            let value = at.read();
            at.add(1).copy_to(at, self.len - index);
            value
        }
    }

    /// Removes and returns the element at `index`, and moves the last element there.
    ///
    /// # Panics
    ///
    /// Panics if `index >= len`.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// assert_eq!(list.swap_remove(0), 1);
    /// assert_eq!(list, [3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let last = self.len.checked_sub(1).expect("swap_remove: the vector is empty");
        self.as_mut_slice().swap(index, last);
        self.len = last;
        // SAFETY: the element was the vector's, and is no longer.
        unsafe { self.first.add(last).read() }
    }

    /// Drops all elements after the first `len`.
    ///
    /// # Examples
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
        self.len = len; // first, in case a destructor panics
        // SAFETY: these elements were the vector's, and are no longer.
        unsafe {
            let tail = NonNull::slice_from_raw_parts(self.first.add(len), dropped);
            tail.drop_in_place();
        }
    }

    /// Drops all elements and keeps the memory.
    ///
    /// # Examples
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

    /// Keeps the elements for which `keep` returns `true`, in order, and drops the others.
    ///
    /// # Examples
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

    /// Removes and returns the last element if there is one for which `is_removed` returns `true`.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = heapsmith::vec![in arena; 1, 2];
    /// assert_eq!(list.pop_if(|n| *n > 1), Some(2));
    /// assert_eq!(list.pop_if(|n| *n > 1), None);
    /// ```
    pub fn pop_if(&mut self, is_removed: impl FnOnce(&mut T) -> bool) -> Option<T> {
        if is_removed(self.last_mut()?) { self.pop() } else { None }
    }

    /// Removes elements that are equal to the one before them. A sorted vector has no two equal
    /// elements then.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 1, 2, 1]);
    /// list.dedup();
    /// assert_eq!(list, [1, 2, 1]);
    /// ```
    pub fn dedup(&mut self)
    where
        T: PartialEq,
    {
        self.dedup_by(|a, b| a == b);
    }

    /// Removes elements whose key is equal to that of the one before them.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([10, 11, 20, 30, 31]);
    /// list.dedup_by_key(|n| *n / 10);
    /// assert_eq!(list, [10, 20, 30]);
    /// ```
    pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&mut T) -> K) {
        self.dedup_by(|a, b| key(a) == key(b));
    }

    /// Removes elements for which `is_same(element, previous)` is true, where `previous` is the
    /// last element that was kept.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend(["a", "A", "b"]);
    /// list.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    /// assert_eq!(list, ["a", "b"]);
    /// ```
    pub fn dedup_by(&mut self, mut is_same: impl FnMut(&mut T, &mut T) -> bool) {
        let len = self.len;
        let mut kept = len.min(1);
        for at in 1..len {
            let (before, rest) = self.split_at_mut(at);
            if !is_same(&mut rest[0], &mut before[kept - 1]) {
                self.swap(kept, at);
                kept += 1;
            }
        }
        self.truncate(kept);
    }
}

impl ArenaVec<'_, '_, u8> {
    #[inline]
    pub(super) fn try_append(&mut self, bytes: &[u8]) -> Result<(), AllocError> {
        if self.append_bytes(bytes) { Ok(()) } else { Err(self.refusal(bytes.len())) }
    }

    /// Appends bytes with one copy, or returns `false` if there is no room.
    #[inline]
    pub(super) fn append_bytes(&mut self, bytes: &[u8]) -> bool {
        if !self.make_room(bytes.len()) {
            return false;
        }
        // SAFETY: there is room, and borrowed bytes do not overlap the vector.
        unsafe {
            let end = self.first.add(self.len);
            NonNull::from(bytes).cast().copy_to_nonoverlapping(end, bytes.len());
        }
        self.len += bytes.len();
        true
    }
}
