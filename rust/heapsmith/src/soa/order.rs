//! Sorting rows, and finding them by position.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::handle::Handle;
use crate::pool::Storage;
use crate::soa::{Mut, Ref, Soa, SoaPool, access};

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Sorts the rows in the columns by comparing them. Equal rows keep their order. Handles find
    /// their rows as before. If `compare` panics, the pool is unchanged.
    ///
    /// Needs 4 bytes for each row, and the memory that `sort_by` of slices needs for them. Without
    /// that memory the process ends, as when a `Vec` grows.
    ///
    /// # Complexity
    ///
    /// O(n log n) comparisons. Each row moves once or twice.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let late = pool.insert((5, "late"));
    /// pool.insert((1, "early"));
    /// pool.sort_by(|a, b| a.0.cmp(b.0));
    /// assert_eq!(pool.columns().1, ["early", "late"]);
    /// assert_eq!(pool.get(late), Some((&5, &"late")));
    /// assert_eq!(pool.columns().0.binary_search(&5), Ok(1));
    /// ```
    pub fn sort_by(&mut self, mut compare: impl for<'a> FnMut(Ref<'a, T>, Ref<'a, T>) -> Ordering) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        let row = |at: u32| self.row(at as usize).expect("the position is that of a row");
        order.sort_by(|&a, &b| compare(row(a), row(b)));
        self.arrange(&mut order);
    }

    /// Sorts the rows by a key, as [`sort_by`](Self::sort_by) does.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(3, 'c'), (1, 'a'), (2, 'b')].into_iter().collect();
    /// pool.sort_by_key(|(n, _)| *n);
    /// assert_eq!(pool.columns().1, ['a', 'b', 'c']);
    /// ```
    pub fn sort_by_key<V: Ord>(&mut self, mut key: impl for<'a> FnMut(Ref<'a, T>) -> V) {
        self.sort_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Moves row `order[i]` to position `i`, for a permutation. Each cycle of it is followed once.
    fn arrange(&mut self, order: &mut [u32]) {
        for start in 0..order.len() {
            let mut at = start;
            while order[at] as usize != start {
                let from = order[at] as usize;
                self.table.swap(at, from);
                self.handles.swap(at, from);
                order[at] = at as u32;
                at = from;
            }
            order[at] = at as u32;
        }
        for (position, handle) in self.handles.iter().enumerate() {
            self.positions[handle.cast()] = position as u32;
        }
    }

    /// Swaps the positions of two rows in the columns.
    ///
    /// # Panics
    ///
    /// Panics if a position is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let first = pool.handles()[0];
    /// pool.swap_rows(0, 1);
    /// assert_eq!(pool.columns().1, ['b', 'a']);
    /// assert_eq!(pool.get(first), Some((&1, &'a')));
    /// ```
    #[track_caller]
    pub fn swap_rows(&mut self, a: usize, b: usize) {
        self.handles.swap(a, b); // which checks the bounds
        self.table.swap(a, b);
        for position in [a, b] {
            self.positions[self.handles[position].cast()] = position as u32;
        }
    }

    /// Returns references to the fields of the row at a position in the columns.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// assert_eq!((pool.row(1), pool.row(2)), (Some((&2, &'b')), None));
    /// ```
    #[inline]
    pub fn row(&self, position: usize) -> Option<Ref<'_, T>> {
        self.table.refs(position).map(access::refs::<T>)
    }

    /// Returns mutable references to the fields of the row at a position in the columns.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// *pool.row_mut(1).unwrap().0 = 7;
    /// assert_eq!(pool.columns().0, [1, 7]);
    /// ```
    #[inline]
    pub fn row_mut(&mut self, position: usize) -> Option<Mut<'_, T>> {
        self.table.muts(position).map(access::muts::<T>)
    }

    /// Returns mutable references to the fields of several rows at once, or `None` if a handle is
    /// stale or foreign or occurs twice.
    ///
    /// # Complexity
    ///
    /// Quadratic in `N`.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let (a, b) = (pool.insert((1, 'a')), pool.insert((2, 'b')));
    /// let [first, second] = pool.get_disjoint_mut([a, b]).unwrap();
    /// core::mem::swap(first.1, second.1);
    /// assert_eq!(pool.columns().1, ['b', 'a']);
    /// assert!(pool.get_disjoint_mut([a, a]).is_none());
    /// ```
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [Handle<K>; N],
    ) -> Option<[Mut<'_, T>; N]> {
        let mut positions = [0; N];
        for (position, handle) in positions.iter_mut().zip(handles) {
            *position = self.position_of(handle)?;
        }
        Some(self.table.disjoint_muts(positions)?.map(access::muts::<T>))
    }
}
