//! The use of an implementation of `Soa`.

use super::Access;
use crate::soa::columns::Columns;
use crate::soa::{Mut, Ref, Slices, SlicesMut, Soa};

#[inline(always)]
pub(crate) fn split<T: Soa>(row: T) -> T::Fields {
    row.into_fields(Access::GIVEN)
}

#[inline(always)]
pub(crate) fn join<T: Soa>(fields: T::Fields) -> T {
    T::from_fields(fields, Access::GIVEN)
}

#[inline(always)]
pub(crate) fn refs<'a, T: Soa + 'a>(fields: <T::Fields as Columns>::Refs<'a>) -> Ref<'a, T> {
    T::name_refs(fields, Access::GIVEN)
}

#[inline(always)]
pub(crate) fn muts<'a, T: Soa + 'a>(fields: <T::Fields as Columns>::Muts<'a>) -> Mut<'a, T> {
    T::name_muts(fields, Access::GIVEN)
}

#[inline(always)]
pub(crate) fn slices<'a, T: Soa + 'a>(
    columns: <T::Fields as Columns>::Slices<'a>,
) -> Slices<'a, T> {
    T::name_slices(columns, Access::GIVEN)
}

#[inline(always)]
pub(crate) fn slices_mut<'a, T: Soa + 'a>(
    columns: <T::Fields as Columns>::SlicesMut<'a>,
) -> SlicesMut<'a, T> {
    T::name_slices_mut(columns, Access::GIVEN)
}
