//! Tags: the upper half of a handle, of which a live slot has a copy.
//!
//! A tag combines a pool's id and a generation, so that one comparison detects both stale and
//! foreign handles. A dead slot has no pool id there.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU32, Ordering};

pub(crate) const GENERATION_BITS: u32 = 20;
pub(crate) const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;
const LAST_ID: u32 = (1 << (32 - GENERATION_BITS)) - 1;

/// The id of a pool, in the upper 12 bits. The other bits are 0.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PoolId(NonZeroU32);

/// A pool's id and a generation: never less than `1 << GENERATION_BITS`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Tag(NonZeroU32);

/// Adds 1, and returns what was there. Relaxed: threads exchange nothing but the number itself.
#[cfg(target_has_atomic = "32")]
fn count_up(count: &AtomicU32) -> u32 {
    count.fetch_add(1, Ordering::Relaxed)
}

/// Processors such as the Cortex-M0 cannot add in one step. If an interrupt makes a pool in between,
/// both pools have one id, as those have that are made 4095 pools apart.
#[cfg(not(target_has_atomic = "32"))]
fn count_up(count: &AtomicU32) -> u32 {
    let before = count.load(Ordering::Relaxed);
    count.store(before.wrapping_add(1), Ordering::Relaxed);
    before
}

impl PoolId {
    pub(crate) const FIRST: Self = match NonZeroU32::new(1 << GENERATION_BITS) {
        Some(id) => Self(id),
        None => unreachable!(),
    };

    /// A new id, which repeats after 4095 calls.
    pub(crate) fn next() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let id = count_up(&COUNT) % LAST_ID + 1;
        Self(NonZeroU32::new(id << GENERATION_BITS).expect("ids start at 1"))
    }

    pub(crate) const fn first_tag(self) -> Tag {
        Tag(self.0)
    }

    pub(crate) const fn last_tag(self) -> Tag {
        match Tag::from_bits(self.0.get() | LAST_GENERATION) {
            Some(tag) => tag,
            None => unreachable!(),
        }
    }

    /// The id with this number, from 1 to 4095.
    #[cfg(feature = "serde")]
    pub(crate) fn from_number(number: u16) -> Option<Self> {
        let is_an_id = (1..=LAST_ID).contains(&number.into());
        NonZeroU32::new(u32::from(number) << GENERATION_BITS).filter(|_| is_an_id).map(Self)
    }

    pub(crate) const fn get(self) -> u16 {
        (self.0.get() >> GENERATION_BITS) as u16
    }
}

impl Tag {
    #[inline(always)]
    pub(crate) fn new(id: PoolId, generation: u32) -> Self {
        Self(id.0 | (generation & LAST_GENERATION))
    }

    #[inline(always)]
    pub(crate) const fn from_bits(bits: u32) -> Option<Self> {
        match NonZeroU32::new(bits) {
            Some(tag) if bits > LAST_GENERATION => Some(Self(tag)),
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) const fn get(self) -> u32 {
        self.0.get()
    }

    #[inline(always)]
    pub(crate) const fn generation(self) -> u32 {
        self.get() & LAST_GENERATION
    }

    /// The generation of the slot's next row, or 0 if all are used up.
    #[inline(always)]
    pub(crate) const fn next_generation(self) -> u32 {
        self.get().wrapping_add(1) & LAST_GENERATION
    }

    #[inline(always)]
    pub(crate) const fn pool_id(self) -> u16 {
        (self.get() >> GENERATION_BITS) as u16
    }
}
