//! A table: rows side by side in columns, all in one block.

use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;

use crate::error::AllocError;
use crate::soa::columns::Columns;

/// Invariant: `starts` are those of a block for `capacity` rows, of which the first `len` are
/// initialized.
pub(crate) struct Table<F: Columns> {
    starts: F::Starts,
    len: usize,
    capacity: usize,
    rows: PhantomData<F>,
}

// SAFETY: a table owns its rows and shares them only as references do.
unsafe impl<F: Columns + Send> Send for Table<F> {}
// SAFETY: as above.
unsafe impl<F: Columns + Sync> Sync for Table<F> {}

impl<F: Columns> Table<F> {
    pub(crate) const fn new() -> Self {
        Self { starts: F::NOWHERE, len: 0, capacity: 0, rows: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn starts(&self) -> F::Starts {
        self.starts
    }

    #[inline(always)]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Moves all rows to a block for `capacity` rows, which is at least `len`.
    pub(crate) fn try_move(&mut self, capacity: usize) -> Result<(), AllocError> {
        assert!(capacity >= self.len, "the rows need room");
        let layout = F::layout(capacity).ok_or(AllocError::TooLarge)?;
        let starts = if layout.size() == 0 {
            F::NOWHERE
        } else {
            // SAFETY: the layout has a size; the block has that layout.
            unsafe {
                let block = NonNull::new(alloc(layout));
                let block = block.ok_or(AllocError::NoRoom { layout, remaining: 0 })?;
                F::starts_in(block, capacity)
            }
        };
        // SAFETY: the rows are initialized, and the old block is not used any more.
        unsafe { F::copy(self.starts, 0, starts, 0, self.len) };
        self.free_block();
        (self.starts, self.capacity) = (starts, capacity);
        Ok(())
    }

    fn free_block(&mut self) {
        let layout = F::layout(self.capacity).unwrap_or(Layout::new::<()>());
        if layout.size() != 0 {
            // SAFETY: the block was allocated with this layout. The caller replaces its starts.
            unsafe { dealloc(F::block(self.starts).as_ptr(), layout) };
        }
    }

    /// Adds a row, for which there must be room.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: F) {
        assert!(self.len < self.capacity, "the row needs room");
        // SAFETY: there is room, as just checked.
        unsafe { F::write(self.starts, self.len, row) };
        self.len += 1;
    }

    /// Takes a row out and moves the last row to its position.
    #[inline(always)]
    pub(crate) fn swap_remove(&mut self, at: usize) -> Option<F> {
        if at >= self.len {
            return None;
        }
        self.len -= 1;
        // SAFETY: both rows are initialized. The last one moves if it is another.
        unsafe {
            let row = F::read(self.starts, at);
            if at != self.len {
                F::copy(self.starts, self.len, self.starts, at, 1);
            }
            Some(row)
        }
    }

    /// Replaces a row and returns the old one.
    pub(crate) fn replace(&mut self, at: usize, row: F) -> Option<F> {
        if at >= self.len {
            return None;
        }
        // SAFETY: the old row is initialized and is read before it is overwritten.
        unsafe {
            let old = F::read(self.starts, at);
            F::write(self.starts, at, row);
            Some(old)
        }
    }

    #[inline(always)]
    pub(crate) fn refs(&self, at: usize) -> Option<F::Refs<'_>> {
        // SAFETY: the row is initialized, and borrowed as the table is.
        if at < self.len { Some(unsafe { F::refs(self.starts, at) }) } else { None }
    }

    #[inline(always)]
    pub(crate) fn muts(&mut self, at: usize) -> Option<F::Muts<'_>> {
        // SAFETY: the row is initialized, and borrowed as the table is.
        if at < self.len { Some(unsafe { F::muts(self.starts, at) }) } else { None }
    }

    #[inline(always)]
    pub(crate) fn slices(&self) -> F::Slices<'_> {
        // SAFETY: the rows are initialized, and borrowed as the table is.
        unsafe { F::slices(self.starts, self.len) }
    }

    #[inline(always)]
    pub(crate) fn slices_mut(&mut self) -> F::SlicesMut<'_> {
        // SAFETY: the rows are initialized, and borrowed as the table is.
        unsafe { F::slices_mut(self.starts, self.len) }
    }

    /// A mutable iterator over all rows.
    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> RowsMut<'_, F> {
        RowsMut { starts: self.starts, positions: 0..self.len, table: PhantomData }
    }

    /// Gives all rows to the caller, where they lie, and returns their number.
    pub(super) fn give_up_rows(&mut self) -> usize {
        core::mem::take(&mut self.len)
    }

    /// Drops all rows.
    pub(crate) fn clear(&mut self) {
        let rows = self.give_up_rows();
        // SAFETY: the rows are initialized, and no longer the table's, even if a destructor panics.
        unsafe { F::drop_rows(self.starts, rows) };
    }
}

impl<F: Columns> Drop for Table<F> {
    fn drop(&mut self) {
        /// Frees the block even if a destructor panics.
        struct Free<'a, F: Columns>(&'a mut Table<F>);
        impl<F: Columns> Drop for Free<'_, F> {
            fn drop(&mut self) {
                self.0.free_block();
            }
        }
        Free(self).0.clear();
    }
}

/// A mutable iterator over the rows of a table.
pub(crate) struct RowsMut<'a, F: Columns> {
    starts: F::Starts,
    /// The positions that are left, all of initialized rows.
    positions: Range<usize>,
    table: PhantomData<&'a mut Table<F>>,
}

// SAFETY: the iterator stands for mutable references to rows, which nothing else has.
unsafe impl<F: Columns + Send> Send for RowsMut<'_, F> {}
// SAFETY: as above.
unsafe impl<F: Columns + Sync> Sync for RowsMut<'_, F> {}

#[cfg(feature = "rayon")]
impl<F: Columns> RowsMut<'_, F> {
    /// The first `rows` rows that are left, and the others. Each position is in one of both.
    pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
        let (starts, Range { start, end }, table) = (self.starts, self.positions, self.table);
        let middle = start.saturating_add(rows).min(end);
        let [left, right] = [start..middle, middle..end];
        (Self { starts, positions: left, table }, Self { starts, positions: right, table })
    }
}

impl<'a, F: Columns> Iterator for RowsMut<'a, F> {
    type Item = F::Muts<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<F::Muts<'a>> {
        // SAFETY: each position comes once, and the table is borrowed for as long as its rows.
        self.positions.next().map(|at| unsafe { F::muts(self.starts, at) })
    }

    #[inline(always)]
    fn nth(&mut self, rows: usize) -> Option<F::Muts<'a>> {
        // SAFETY: as above.
        self.positions.nth(rows).map(|at| unsafe { F::muts(self.starts, at) })
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl<'a, F: Columns> DoubleEndedIterator for RowsMut<'a, F> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<F::Muts<'a>> {
        // SAFETY: as above.
        self.positions.next_back().map(|at| unsafe { F::muts(self.starts, at) })
    }

    #[inline(always)]
    fn nth_back(&mut self, rows: usize) -> Option<F::Muts<'a>> {
        // SAFETY: as above.
        self.positions.nth_back(rows).map(|at| unsafe { F::muts(self.starts, at) })
    }
}
