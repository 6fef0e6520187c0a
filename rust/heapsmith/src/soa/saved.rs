//! Serialization of pools in columns with serde: the rows in order, and where each handle leads.

use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::handle::Handle;
use crate::pool::{Growable, Pool, Storage};
use crate::soa::{Ref, Soa, SoaPool, access};

/// The rows of a pool, as a sequence.
struct Rows<'a, T: Soa, S: Storage<u32>, K>(&'a SoaPool<T, S, K>);

impl<T: Soa, S: Storage<u32>, K> Serialize for Rows<'_, T, S, K>
where
    for<'a> Ref<'a, T>: Serialize,
{
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.collect_seq(self.0.iter().map(|(_, row)| row))
    }
}

/// For rows whose references can be serialized: tuples, and structs with
/// `#[soa(derive(serde::Serialize))]`.
impl<T: Soa, S: Storage<u32>, K> Serialize for SoaPool<T, S, K>
where
    for<'a> Ref<'a, T>: Serialize,
{
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut saved = to.serialize_struct("SoaPool", 2)?;
        saved.serialize_field("positions", &self.positions)?;
        saved.serialize_field("rows", &Rows(self))?;
        saved.end()
    }
}

#[derive(serde::Deserialize)]
struct Saved<T> {
    positions: Pool<u32>,
    rows: Vec<T>,
}

/// The handle of each position, if each of the first `rows` positions has one.
fn handles<K>(positions: &Pool<u32>, rows: usize) -> Option<Vec<Handle<K>>> {
    let mut handles = Vec::new();
    handles.resize(rows, None);
    for (handle, &position) in positions {
        let place = handles.get_mut(position as usize).filter(|place| place.is_none())?;
        *place = Some(handle.cast());
    }
    handles.into_iter().collect()
}

/// The pool has its rows under the handles and at the positions that they had when it was
/// serialized. Refused is what a [`Pool`] refuses, and handles that do not match the rows.
impl<'de, T: Soa + Deserialize<'de>, K> Deserialize<'de> for SoaPool<T, Growable<u32>, K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Saved { positions, rows } = Saved::<T>::deserialize(from)?;
        let handles = handles(&positions, rows.len())
            .ok_or_else(|| D::Error::custom("the handles of a pool do not match its rows"))?;
        let mut pool = Self { handles, positions, ..Self::default() };
        pool.table.try_move(rows.len()).map_err(D::Error::custom)?;
        rows.into_iter().for_each(|row| pool.table.push(access::split(row)));
        Ok(pool)
    }
}
