//! Columns: what is done with the fields of rows of a given type, when each lies by itself.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::slice;

use crate::soa::arrangement::arrange;

/// The fields of a row: a tuple of 1 to 16 of any types. Each becomes a column.
///
/// The trait names what a pool gives in place of a tuple; it cannot be implemented.
pub trait Columns: RawColumns {
    /// A reference to each field of a row.
    type Refs<'a>
    where
        Self: 'a;
    /// A reference to each field of a row, to be changed.
    type Muts<'a>
    where
        Self: 'a;
    /// Each column as a slice.
    type Slices<'a>
    where
        Self: 'a;
    /// Each column as a slice, to be changed.
    type SlicesMut<'a>
    where
        Self: 'a;
}

/// Tuples whose fields can all be cloned.
pub trait CloneColumns: Columns {
    /// A clone of the row whose fields these are.
    fn clone_row(fields: Self::Refs<'_>) -> Self;
}

/// What a table asks of its columns. It is in a private module, and so out of reach.
///
/// *Starts* point to the beginning of each column. A row *is there* if its fields are initialised in
/// all columns.
pub trait RawColumns: Sized {
    type Starts: Copy;

    /// Starts of columns without rows.
    const NOWHERE: Self::Starts;

    /// One block for columns of so many rows.
    fn layout(rows: usize) -> Option<Layout>;

    /// # Safety
    /// The block has the layout of so many rows.
    unsafe fn starts_in(block: NonNull<u8>, rows: usize) -> Self::Starts;

    /// The block in which these are starts.
    fn block(starts: Self::Starts) -> NonNull<u8>;

    /// # Safety
    /// There is room for row `at`.
    unsafe fn write(starts: Self::Starts, at: usize, row: Self);

    /// # Safety
    /// Row `at` is there; it is the caller's from now on.
    unsafe fn read(starts: Self::Starts, at: usize) -> Self;

    /// Copies rows from one place to another, both with room for them.
    ///
    /// # Safety
    /// The rows are there, do not overlap the others, and are no longer where they were.
    unsafe fn copy(from: Self::Starts, first: usize, to: Self::Starts, at: usize, rows: usize);

    /// Drops the first rows, all of them even if a destructor panics.
    ///
    /// # Safety
    /// They are there, and nobody uses them any more.
    unsafe fn drop_rows(starts: Self::Starts, rows: usize);

    /// # Safety
    /// Row `at` is there for as long as `'a`, and nobody changes it.
    unsafe fn refs<'a>(starts: Self::Starts, at: usize) -> Self::Refs<'a>
    where
        Self: Columns + 'a;

    /// # Safety
    /// Row `at` is there for as long as `'a`, and nobody else looks at it.
    unsafe fn muts<'a>(starts: Self::Starts, at: usize) -> Self::Muts<'a>
    where
        Self: Columns + 'a;

    /// # Safety
    /// The first rows are there for as long as `'a`, and nobody changes them.
    unsafe fn slices<'a>(starts: Self::Starts, rows: usize) -> Self::Slices<'a>
    where
        Self: Columns + 'a;

    /// # Safety
    /// The first rows are there for as long as `'a`, and nobody else looks at them.
    unsafe fn slices_mut<'a>(starts: Self::Starts, rows: usize) -> Self::SlicesMut<'a>
    where
        Self: Columns + 'a;
}

/// A column that is dropped with this; so are the others, when a destructor panics in one.
struct DropColumn<T>(NonNull<T>, usize);

impl<T> Drop for DropColumn<T> {
    fn drop(&mut self) {
        // SAFETY: drop_rows' caller promises that the fields are there and nobody's.
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

        // Every place below lies in a column, or at the end of one, by what the caller promises; no
        // field of a row lies in another's column.
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
                // SAFETY: as above; the caller promises that they do not overlap.
                unsafe {
                    $(to.$field.add(at).copy_from_nonoverlapping(from.$field.add(first), rows);)+
                }
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
                // SAFETY: as above, and for as long as the caller says.
                unsafe { ($(starts.$field.add(at).as_ref(),)+) }
            }

            #[inline(always)]
            unsafe fn muts<'a>(starts: Self::Starts, at: usize) -> <Self as Columns>::Muts<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller says.
                unsafe { ($(starts.$field.add(at).as_mut(),)+) }
            }

            #[inline(always)]
            unsafe fn slices<'a>(starts: Self::Starts, rows: usize) -> <Self as Columns>::Slices<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller says.
                unsafe { ($(slice::from_raw_parts(starts.$field.as_ptr(), rows),)+) }
            }

            #[inline(always)]
            unsafe fn slices_mut<'a>(
                starts: Self::Starts, rows: usize,
            ) -> <Self as Columns>::SlicesMut<'a>
            where
                Self: 'a,
            {
                // SAFETY: as above, and for as long as the caller says.
                unsafe { ($(slice::from_raw_parts_mut(starts.$field.as_ptr(), rows),)+) }
            }
        }
    };
}

/// Calls a macro for the first of the fields, the first two, and so on.
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

/// The same for all the tuples there are.
macro_rules! for_each_tuple {
    ($macro:ident) => {
        $crate::soa::columns::for_each_count!($macro: []
            A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7,
            I i 8, J j 9, K k 10, L l 11, M m 12, N n 13, O o 14, P p 15);
    };
}
pub(crate) use for_each_tuple;

for_each_tuple!(columns);
