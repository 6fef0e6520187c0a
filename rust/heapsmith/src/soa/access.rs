//! Permission to use an implementation of `Soa`, which this crate alone can make.

mod calls;

use core::marker::PhantomData;

pub(crate) use calls::{join, muts, refs, slices, slices_mut, split};

/// Permission to call the functions of [`Soa`](crate::soa::Soa) for the rows `T`.
///
/// Only this crate makes values of this type, and passes each to the implementation for `T`. Other
/// code therefore can neither reach the private fields of a row nor make a row of any values.
pub struct Access<T>(PhantomData<fn(T) -> T>);

impl<T> Access<T> {
    /// Private to this module, whose calls never show a tuple to foreign code.
    const GIVEN: Self = Self(PhantomData);
}
