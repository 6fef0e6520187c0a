//! Serialization with serde: handles as integers, pools with the handles of their rows, collections
//! as sequences.

use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::owned::Memory;
use crate::pool::slot::{NONE, Slot};
use crate::pool::tag::{LAST_GENERATION, PoolId, Tag};
use crate::pool::{Growable, Slots, Storage};
use crate::{ArenaString, ArenaVec, Handle, Owned, Pool, SecondaryMap};

/// As the integer of [`Handle::to_bits`].
impl<K> Serialize for Handle<K> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.to_bits().get())
    }
}

impl<'de, K> Deserialize<'de> for Handle<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bits = u64::deserialize(from)?;
        let refuse = || D::Error::invalid_value(Unexpected::Unsigned(bits), &"a handle");
        Self::from_bits(bits).ok_or_else(refuse)
    }
}

/// A slot of a pool. `R` is the row or a reference to it.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedSlot<R> {
    /// The generation and the row.
    Row(u32, R),
    /// The generation of the next row.
    Free(u32),
    /// All generations are used up.
    Retired,
}

#[derive(serde::Deserialize)]
struct SavedPool<T> {
    id: u16,
    first_generation: u32,
    slots: Vec<SavedSlot<T>>,
}

/// The slots of a pool, as a sequence.
struct Slotted<'a, T>(&'a [Slot<T>]);

impl<T: Serialize> Serialize for Slotted<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().enumerate().map(|(index, slot)| {
            let row = slot.tag().and_then(|tag| slot.get(tag));
            match row {
                Some(row) => SavedSlot::Row(slot.generation(), row),
                None if slot.next() == Some(index as u32) => SavedSlot::Retired,
                None => SavedSlot::Free(slot.generation()),
            }
        }))
    }
}

/// With the handles of the rows, and the generations of free slots: stale handles stay stale.
impl<T: Serialize, S: Storage<T>, K> Serialize for Pool<T, S, K> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut saved = to.serialize_struct("Pool", 3)?;
        saved.serialize_field("id", &self.id_number())?;
        saved.serialize_field("first_generation", &self.first_tag.generation())?;
        saved.serialize_field("slots", &Slotted(self.storage.slots()))?;
        saved.end()
    }
}

/// The pool has its rows under the handles that they had when it was serialized, like a clone.
///
/// Any input is safe. Refused are generations above 2^20 - 1, a pool id above 4095, and slots in a
/// pool that never had an id.
impl<'de, T: Deserialize<'de>, K> Deserialize<'de> for Pool<T, Growable<T>, K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let saved = SavedPool::<T>::deserialize(from)?;
        let id = PoolId::from_number(saved.id);
        if saved.id != 0 && id.is_none() {
            return Err(D::Error::custom("the pool id is more than 4095"));
        }
        if saved.slots.len() >= NONE as usize {
            return Err(D::Error::custom("the pool has more than 2^32 - 2 slots"));
        }
        let generation = |generation: u32| match generation {
            0..=LAST_GENERATION => Ok(generation),
            _ => Err(D::Error::custom("a generation is more than 2^20 - 1")),
        };
        let mut pool = Self::default();
        pool.first_tag = Tag::new(pool.id, generation(saved.first_generation)?);
        if let Some(id) = id {
            pool.set_id(id);
        }
        Growable::try_grow(&mut pool.storage, saved.slots.len()).map_err(D::Error::custom)?;
        for (index, slot) in saved.slots.into_iter().enumerate() {
            let id = id.ok_or_else(|| D::Error::custom("a pool with slots has no id"))?;
            pool.storage.push(match slot {
                SavedSlot::Row(number, row) => Slot::live(Tag::new(id, generation(number)?), row),
                SavedSlot::Free(number) => Slot::dead(generation(number)?, NONE),
                SavedSlot::Retired => Slot::dead(0, index as u32),
            });
        }
        pool.count();
        pool.link_free_slots();
        Ok(pool)
    }
}

impl<T, K> Pool<T, Growable<T>, K> {
    /// Counts the live and the retired slots.
    fn count(&mut self) {
        let slots = self.storage.slots();
        self.len = slots.iter().filter(|slot| slot.tag().is_some()).count() as u32;
        let is_retired = |(index, slot): &(usize, &Slot<T>)| slot.next() == Some(*index as u32);
        self.retired = slots.iter().enumerate().filter(is_retired).count() as u32;
    }
}

/// As a sequence with an item for each index: the handle and the value, or nothing.
impl<K, V: Serialize> Serialize for SecondaryMap<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.slots())
    }
}

/// Any input is safe, and takes memory in proportion to its length. Refused are handles that do not
/// lie at their index.
impl<'de, K, V: Deserialize<'de>> Deserialize<'de> for SecondaryMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let slots = Vec::<Option<(Handle<K>, V)>>::deserialize(from)?;
        let mut map = Self::new();
        map.try_set_capacity(slots.len()).map_err(D::Error::custom)?;
        for (index, slot) in slots.into_iter().enumerate() {
            let Some((handle, value)) = slot else { continue };
            if handle.index() as usize != index {
                return Err(D::Error::custom("a handle does not lie at its index"));
            }
            map.insert(handle, value);
        }
        Ok(map)
    }
}

impl<T: Serialize> Serialize for ArenaVec<'_, '_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(to)
    }
}

impl Serialize for ArenaString<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

impl<T: Serialize + ?Sized, M: Memory> Serialize for Owned<'_, T, M> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(to)
    }
}
