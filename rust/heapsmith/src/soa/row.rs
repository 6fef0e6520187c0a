//! Which rows can be split into columns.

use crate::soa::columns::{Columns, for_each_tuple};

/// A row that a [`SoaPool`](crate::SoaPool) splits into columns, one for each field.
///
/// Implemented by `#[derive(Soa)]`, of the feature `derive`, for structs with up to 16 named fields;
/// and for tuples of up to 16. For `struct Particle`, the derive macro makes the structs
/// `ParticleRef` and `ParticleMut`, with a reference to each field of a row, and `ParticleColumns`
/// and `ParticleColumnsMut`, with a slice of each column. They have the fields, the visibility and
/// the generics of the struct itself. `#[soa(derive(Debug, PartialEq))]` derives more for the first
/// two; `#[soa(crate = path)]` says where this crate is to be found.
///
/// To implement it by hand is safe, and only a matter of names: fields are handed over as a tuple,
/// [`Fields`](Self::Fields), and [`Views`] says what is made of references to them.
pub trait Soa: Sized + for<'a> Views<'a> {
    /// The types of the fields, as a tuple.
    type Fields: Columns;

    /// Splits a row.
    fn into_fields(self) -> Self::Fields;
    /// Puts a row together.
    fn from_fields(fields: Self::Fields) -> Self;
    /// Names references to the fields of a row.
    fn name_refs<'a>(fields: <Self::Fields as Columns>::Refs<'a>) -> Ref<'a, Self>
    where
        Self: 'a;
    /// Names references to the fields of a row, which is to be changed.
    fn name_muts<'a>(fields: <Self::Fields as Columns>::Muts<'a>) -> Mut<'a, Self>
    where
        Self: 'a;
    /// Names columns.
    fn name_slices<'a>(columns: <Self::Fields as Columns>::Slices<'a>) -> Slices<'a, Self>
    where
        Self: 'a;
    /// Names columns, which are to be changed.
    fn name_slices_mut<'a>(
        columns: <Self::Fields as Columns>::SlicesMut<'a>,
    ) -> SlicesMut<'a, Self>
    where
        Self: 'a;
}

/// What stands for rows of which something is borrowed for `'a`; implemented together with [`Soa`].
///
/// `Bound` is always what it is by default, and says that the row outlives `'a`. An associated type
/// with a lifetime would have to be told so, and then no closure could take one unless the row
/// borrows nothing.
pub trait Views<'a, Bound = &'a Self> {
    /// A row whose fields can be looked at.
    type Ref;
    /// A row whose fields can be changed.
    type Mut;
    /// All columns, each as a slice.
    type Slices;
    /// All columns, each as a slice to be changed.
    type SlicesMut;
}

/// A row whose fields can be looked at: `ParticleRef` for a `Particle`.
pub type Ref<'a, T> = <T as Views<'a>>::Ref;
/// A row whose fields can be changed: `ParticleMut` for a `Particle`.
pub type Mut<'a, T> = <T as Views<'a>>::Mut;
/// All columns, each as a slice: `ParticleColumns` for a `Particle`.
pub type Slices<'a, T> = <T as Views<'a>>::Slices;
/// All columns, each as a slice to be changed: `ParticleColumnsMut` for a `Particle`.
pub type SlicesMut<'a, T> = <T as Views<'a>>::SlicesMut;

macro_rules! rows_of_tuples {
    ($($type:ident $start:ident $field:tt),+) => {
        impl<'a, $($type),+> Views<'a> for ($($type,)+) {
            type Ref = ($(&'a $type,)+);
            type Mut = ($(&'a mut $type,)+);
            type Slices = ($(&'a [$type],)+);
            type SlicesMut = ($(&'a mut [$type],)+);
        }

        impl<$($type),+> Soa for ($($type,)+) {
            type Fields = Self;

            #[inline(always)]
            fn into_fields(self) -> Self {
                self
            }
            #[inline(always)]
            fn from_fields(fields: Self) -> Self {
                fields
            }
            #[inline(always)]
            fn name_refs<'a>(fields: Ref<'a, Self>) -> Ref<'a, Self> where Self: 'a {
                fields
            }
            #[inline(always)]
            fn name_muts<'a>(fields: Mut<'a, Self>) -> Mut<'a, Self> where Self: 'a {
                fields
            }
            #[inline(always)]
            fn name_slices<'a>(columns: Slices<'a, Self>) -> Slices<'a, Self> where Self: 'a {
                columns
            }
            #[inline(always)]
            fn name_slices_mut<'a>(columns: SlicesMut<'a, Self>) -> SlicesMut<'a, Self>
            where
                Self: 'a,
            {
                columns
            }
        }
    };
}

for_each_tuple!(rows_of_tuples);
