//! Columns: operations on rows whose fields lie in one column each.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::slice;

use crate::soa::arrangement::arrange;

/// The fields of a row: a tuple of 1 to 16 fields of any types. Each becomes a column.
///
/// This trait is sealed.
pub trait Columns: RawColumns {
    /// References to the fields of a row.
    type Refs<'a>
    where
        Self: 'a;
    /// Mutable references to the fields of a row.
    type Muts<'a>
    where
        Self: 'a;
    /// All columns, as slices.
    type Slices<'a>
    where
        Self: 'a;
    /// All columns, as mutable slices.
    type SlicesMut<'a>
    where
        Self: 'a;
}

/// A tuple whose fields can all be cloned.
pub trait CloneColumns: Columns {
    /// Clones the row that has these fields.
    fn clone_row(fields: Self::Refs<'_>) -> Self;
}

/// The operations of a table on its columns. This module is private, which seals the trait.
///
/// *Starts* are pointers to the beginning of each column. A row is *initialized* if its fields are
/// initialized in all columns.
pub trait RawColumns: Sized {
    type Starts: Copy;

    /// Starts of columns without rows.
    const NOWHERE: Self::Starts;

    /// The layout of one block with columns of `rows` rows.
    fn layout(rows: usize) -> Option<Layout>;

    /// # Safety
    /// The block has the layout of `rows` rows.
    unsafe fn starts_in(block: NonNull<u8>, rows: usize) -> Self::Starts;

    /// The block that has these starts.
    fn block(starts: Self::Starts) -> NonNull<u8>;

    /// # Safety
    /// There is room for row `at`.
    unsafe fn write(starts: Self::Starts, at: usize, row: Self);

    /// # Safety
    /// Row `at` is initialized, and the caller owns it from now on.
    unsafe fn read(starts: Self::Starts, at: usize) -> Self;

    /// Moves rows to other positions, which have room for them.
    ///
    /// # Safety
    /// The rows are initialized and do not overlap their new positions. The old positions are not
    /// used any more.
    unsafe fn copy(from: Self::Starts, first: usize, to: Self::Starts, at: usize, rows: usize);

    /// # Safety
    /// Both rows are initialized.
    unsafe fn swap(starts: Self::Starts, a: usize, b: usize);

    /// The starts of the columns of all rows from `rows` on.
    ///
    /// # Safety
    /// The columns have at least so many rows.
    unsafe fn skip(starts: Self::Starts, rows: usize) -> Self::Starts;

    /// Drops the first `rows` rows, all of them even if a destructor panics.
    ///
    /// # Safety
    /// They are initialized and not used any more.
    unsafe fn drop_rows(starts: Self::Starts, rows: usize);

    /// # Safety
    /// Row `at` is initialized and unchanged for `'a`.
    unsafe fn refs<'a>(starts: Self::Starts, at: usize) -> Self::Refs<'a>
    where
        Self: Columns + 'a;

    /// # Safety
    /// Row `at` is initialized, and nothing else uses it for `'a`.
    unsafe fn muts<'a>(starts: Self::Starts, at: usize) -> Self::Muts<'a>
    where
        Self: Columns + 'a;

    /// # Safety
    /// The first `rows` rows are initialized and unchanged for `'a`.
    unsafe fn slices<'a>(starts: Self::Starts, rows: usize) -> Self::Slices<'a>
    where
        Self: Columns + 'a;

    /// # Safety
    /// The first `rows` rows are initialized, and nothing else uses them for `'a`.
    unsafe fn slices_mut<'a>(starts: Self::Starts, rows: usize) -> Self::SlicesMut<'a>
    where
        Self: Columns + 'a;
}

/// Drops a column. As a guard, it does so even if a destructor in another column panics.
struct DropColumn<T>(NonNull<T>, usize);

impl<T> Drop for DropColumn<T> {
    fn drop(&mut self) {
        // SAFETY: the caller of `drop_rows` promises that the fields are initialized and unused.
        unsafe { ptr::drop_in_place(ptr::slice_from_raw_parts_mut(self.0.as_ptr(), self.1)) }
    }
}

macro_rules! columns {
    ($($type:ident $start:ident $field:tt),+) => {
        impl<$($type),+> Columns for ($($type,)+) {
            type Refs<'a> = ($(&'a $type,)+) where Self: 'a;
            type Muts<'a> = ($(&'a mut $type,)+) where Self: 'a;
            type Slices<'a> = ($(&'a [$type],)+) where Self: 'a;
            type SlicesMut<'a> = ($(&'a mut [$type],)+) where Self: 'a;
        }

        impl<$($type: Clone),+> CloneColumns for ($($type,)+) {
            fn clone_row(fields: Self::Refs<'_>) -> Self {
                ($(fields.$field.clone(),)+)
            }
        }

        // By the caller's promise, every address below lies in a column or at its end. Columns do
        // not overlap.
        impl<$($type),+> RawColumns for ($($type,)+) {
            type Starts = ($(NonNull<$type>,)+);

            const NOWHERE: Self::Starts = ($(NonNull::<$type>::dangling(),)+);

            fn layout(rows: usize) -> Option<Layout> {
                Some(arrange([$(Layout::new::<$type>()),+], rows)?.1)
            }

            unsafe fn starts_in(block: NonNull<u8>, rows: usize) -> Self::Starts {
                let arranged = arrange([$(Layout::new::<$type>()),+], rows);
                let ([$($start),+], _) = arranged.expect("the block has this layout");
                // SAFETY: offsets in the block's layout.
                unsafe { ($(block.add($start).cast(),)+) }
            }

            fn block(starts: Self::Starts) -> NonNull<u8> {
                starts.0.cast()
            }

            #[inline(always)]
            unsafe fn write(starts: Self::Starts, at: usize, row: Self) {
                // SAFETY: as above.
                unsafe { $(starts.$field.add(at).write(row.$field);)+ }
            }

            #[inline(always)]
            unsafe fn read(starts: Self::Starts, at: usize) -> Self {
                // SAFETY: as above.
                unsafe { ($(starts.$field.add(at).read(),)+) }
            }

            #[inline(always)]
            unsafe fn copy(
                from: Self::Starts, first: usize, to: Self::Starts, at: usize, rows: usize,
            ) {
                // SAFETY: as above, and the caller promises that they do not overlap.
                unsafe {
                    $(to.$field.add(at).copy_from_nonoverlapping(from.$field.add(first), rows);)+
                }
            }

            unsafe fn swap(starts: Self::Starts, a: usize, b: usize) {
                // SAFETY: as above.
                unsafe { $(starts.$field.add(a).swap(starts.$field.add(b));)+ }
            }

            #[inline(always)]
            unsafe fn skip(starts: Self::Starts, rows: usize) -> Self::Starts {
                // SAFETY: as above.
                unsafe { ($(starts.$field.add(rows),)+) }
            }

            unsafe fn drop_rows(starts: Self::Starts, rows: usize) {
                // Locals are dropped from the last to the first.
                $(let $start = DropColumn(starts.$field, rows);)+
                let _ = ($(&$start,)+);
            }

            #[inline(always)]
            unsafe fn refs<'a>(starts: Self::Starts, at: usize) -> <Self as Columns>::Refs<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller promises.
                unsafe { ($(starts.$field.add(at).as_ref(),)+) }
            }

            #[inline(always)]
            unsafe fn muts<'a>(starts: Self::Starts, at: usize) -> <Self as Columns>::Muts<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller promises.
                unsafe { ($(starts.$field.add(at).as_mut(),)+) }
            }

            #[inline(always)]
            unsafe fn slices<'a>(starts: Self::Starts, rows: usize) -> <Self as Columns>::Slices<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller promises.
                unsafe { ($(slice::from_raw_parts(starts.$field.as_ptr(), rows),)+) }
            }

            #[inline(always)]
            unsafe fn slices_mut<'a>(
                starts: Self::Starts, rows: usize,
            ) -> <Self as Columns>::SlicesMut<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller promises.
                unsafe { ($(slice::from_raw_parts_mut(starts.$field.as_ptr(), rows),)+) }
            }
        }
    };
}

/// Calls a macro for the first field, the first two, and so on.
macro_rules! for_each_count {
    ($macro:ident: [$($done:tt)*]) => {};
    ($macro:ident: [] $type:ident $start:ident $field:tt $(, $($rest:tt)*)?) => {
        $macro!($type $start $field);
        $crate::soa::columns::for_each_count!($macro: [$type $start $field] $($($rest)*)?);
    };
    ($macro:ident: [$($done:tt)+] $type:ident $start:ident $field:tt $(, $($rest:tt)*)?) => {
        $macro!($($done)+, $type $start $field);
        $crate::soa::columns::for_each_count!(
            $macro: [$($done)+, $type $start $field] $($($rest)*)?
        );
    };
}
pub(crate) use for_each_count;

/// Calls a macro for all tuples.
macro_rules! for_each_tuple {
    ($macro:ident) => {
        $crate::soa::columns::for_each_count!($macro: []
            A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7,
            I i 8, J j 9, K k 10, L l 11, M m 12, N n 13, O o 14, P p 15);
    };
}
pub(crate) use for_each_tuple;

for_each_tuple!(columns);
