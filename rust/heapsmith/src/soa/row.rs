//! Rows that can be split into columns.

use crate::soa::access::Access;
use crate::soa::columns::{Columns, for_each_tuple};

/// A row that a [`SoaPool`](crate::SoaPool) splits into columns, one for each field.
///
/// The macro `#[derive(Soa)]`, from the feature `derive`, implements this trait for structs with up
/// to 16 fields, named or not; tuples of up to 16 fields implement it, too. For `struct Particle`,
/// the macro defines `ParticleRef` and `ParticleMut`, with a reference to each field of a row, and
/// `ParticleColumns` and `ParticleColumnsMut`, with a slice of each column. These have the fields,
/// the visibility and the generics of the struct. `#[soa(derive(Debug, PartialEq))]` derives traits
/// for the first two, `#[soa(derive_columns(Debug))]` for the other two. `#[soa(attr(must_use))]`
/// and `#[soa(attr_columns(must_use))]` give them other attributes; on a field, their fields.
/// `#[soa(ref = Name)]`, and likewise `mut`, `columns` and `columns_mut`, gives one of them another
/// name. `#[soa(crate = path)]` is the path of this crate.
///
/// Private fields and their types stay private. Each field of the four structs is as visible as
/// that of the row, and only this crate can call the functions of the trait, since only it has an
/// [`Access`] to pass.
///
/// An implementation by hand is safe. It only gives names: fields are passed as the tuple
/// [`Fields`](Self::Fields), and [`Views`] names the structs of references to them.
pub trait Soa: Sized + for<'a> Views<'a> {
    /// The types of the fields, as a tuple.
    type Fields: Columns;

    /// Splits a row into its fields.
    fn into_fields(self, access: Access<Self>) -> Self::Fields;
    /// Makes a row of its fields.
    fn from_fields(fields: Self::Fields, access: Access<Self>) -> Self;
    /// Gives names to references to the fields of a row.
    fn name_refs<'a>(
        fields: <Self::Fields as Columns>::Refs<'a>,
        access: Access<Self>,
    ) -> Ref<'a, Self>
    where
        Self: 'a;
    /// Gives names to mutable references to the fields of a row.
    fn name_muts<'a>(
        fields: <Self::Fields as Columns>::Muts<'a>,
        access: Access<Self>,
    ) -> Mut<'a, Self>
    where
        Self: 'a;
    /// Gives names to columns.
    fn name_slices<'a>(
        columns: <Self::Fields as Columns>::Slices<'a>,
        access: Access<Self>,
    ) -> Slices<'a, Self>
    where
        Self: 'a;
    /// Gives names to mutable columns.
    fn name_slices_mut<'a>(
        columns: <Self::Fields as Columns>::SlicesMut<'a>,
        access: Access<Self>,
    ) -> SlicesMut<'a, Self>
    where
        Self: 'a;
}

/// The types for rows that are borrowed for `'a`. Implemented together with [`Soa`].
///
/// `Bound` always has its default, which implies that the row outlives `'a`. A generic associated
/// type would need that as a bound, and closures could then take it only if the row borrows
/// nothing.
pub trait Views<'a, Bound = &'a Self> {
    /// References to the fields of a row.
    type Ref;
    /// Mutable references to the fields of a row.
    type Mut;
    /// All columns, as slices.
    type Slices;
    /// All columns, as mutable slices.
    type SlicesMut;
}

/// References to the fields of a row: `ParticleRef` for a `Particle`.
pub type Ref<'a, T> = <T as Views<'a>>::Ref;
/// Mutable references to the fields of a row: `ParticleMut` for a `Particle`.
pub type Mut<'a, T> = <T as Views<'a>>::Mut;
/// All columns, as slices: `ParticleColumns` for a `Particle`.
pub type Slices<'a, T> = <T as Views<'a>>::Slices;
/// All columns, as mutable slices: `ParticleColumnsMut` for a `Particle`.
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
            fn into_fields(self, _: Access<Self>) -> Self {
                self
            }
            #[inline(always)]
            fn from_fields(fields: Self, _: Access<Self>) -> Self {
                fields
            }
            #[inline(always)]
            fn name_refs<'a>(fields: Ref<'a, Self>, _: Access<Self>) -> Ref<'a, Self>
            where
                Self: 'a,
            {
                fields
            }
            #[inline(always)]
            fn name_muts<'a>(fields: Mut<'a, Self>, _: Access<Self>) -> Mut<'a, Self>
            where
                Self: 'a,
            {
                fields
            }
            #[inline(always)]
            fn name_slices<'a>(columns: Slices<'a, Self>, _: Access<Self>) -> Slices<'a, Self>
            where
                Self: 'a,
            {
                columns
            }
            #[inline(always)]
            fn name_slices_mut<'a>(
                columns: SlicesMut<'a, Self>,
                _: Access<Self>,
            ) -> SlicesMut<'a, Self>
            where
                Self: 'a,
            {
                columns
            }
        }
    };
}

for_each_tuple!(rows_of_tuples);
