//! Collections in arenas and scopes, through the allocator traits.
#![cfg(all(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04"
))]
#![cfg_attr(allocator_api, feature(allocator_api))]

use heapsmith::{Arena, BufferArena};

macro_rules! tests {
    ($module:ident, $api:ident) => {
        mod $module {
            use super::*;
            use $api::boxed::Box;
            use $api::vec::Vec;

            #[test]
            fn a_vector_at_the_end_grows_in_place() {
                let arena = Arena::with_capacity(100_000);
                let mut v = Vec::new_in(&arena);
                v.push(0u64);
                let first = v.as_ptr();
                v.extend(1..1000);
                assert_eq!(v.as_ptr(), first);
                assert!(v.iter().copied().eq(0..1000));
                v.shrink_to_fit();
                assert_eq!(arena.stats().used, 8000);
                drop(v);
                assert_eq!(arena.stats().used, 0);
            }

            /// A box passes a reference to its value, which must not be used for anything behind
            /// it.
            #[test]
            fn memory_behind_a_box_is_not_the_boxs() {
                let arena = Arena::new();
                drop(Box::new_in(1u64, &arena));
                assert_eq!(arena.alloc([7u64; 20])[19], 7);
                let mut v: Vec<u8, &Arena> = Vec::with_capacity_in(8, &arena);
                v.extend_from_slice(&[1; 8]);
                let mut v = v.into_boxed_slice().into_vec();
                v.push(2); // where it is
                assert_eq!(v.iter().map(|&n| u32::from(n)).sum::<u32>(), 10);
            }

            #[test]
            fn a_vector_in_a_buffer_has_no_more_room() {
                let mut buffer = [core::mem::MaybeUninit::uninit(); 256];
                let range = buffer.as_ptr_range();
                let range = range.start.addr()..range.end.addr();
                let arena = BufferArena::new(&mut buffer);
                let mut v: Vec<u8, &BufferArena<'_>> = Vec::new_in(&arena);
                v.extend(0..100);
                assert!(range.contains(&v.as_ptr().addr()) && v.try_reserve(200).is_err());
                let v: Vec<u8, &Arena> = Vec::new_in(&*arena);
                assert!(v.is_empty());
            }

            #[test]
            fn a_vector_shrinks_while_a_child_is_open() {
                let mut arena = Arena::new();
                let level = arena.checked_scope();
                let mut v = Vec::with_capacity_in(100, &level);
                v.push(1u8);
                let child = level.child();
                v.shrink_to_fit();
                assert!(v.try_reserve(1000).is_err());
                drop(child);
                v.reserve(1000);
                assert_eq!(v, [1]);
            }

            #[test]
            fn vectors_side_by_side_move() {
                let arena = Arena::new();
                let mut all: [Vec<usize, &Arena>; 5] = std::array::from_fn(|_| Vec::new_in(&arena));
                for n in 0..5000 {
                    all[n % 5].push(n);
                }
                for (i, v) in all.iter().enumerate() {
                    assert!(v.iter().copied().eq((i..5000).step_by(5)));
                }
            }

            #[test]
            fn a_scope_takes_its_vectors_along() {
                let mut arena = Arena::new();
                let sum = arena.scope(|scope| {
                    let mut v = Vec::new_in(&*scope);
                    v.extend([1, 2, 3].map(Box::new)); // dropped by the vector
                    v.iter().map(|b| **b).sum::<i32>()
                });
                assert_eq!((sum, arena.stats().used), (6, 0));
            }

            #[test]
            fn a_checked_scopes_vector_cannot_grow_while_a_child_is_open() {
                let mut arena = Arena::new();
                let level = arena.checked_scope();
                let mut v = Vec::new_in(&level);
                v.push(1);
                let child = level.child();
                assert!(v.try_reserve(1000).is_err());
                drop(child);
                assert!(v.try_reserve(1000).is_ok());
                assert_eq!(v[0], 1);
            }
            #[cfg(all(feature = "region", not(miri)))]
            #[test]
            fn collections_in_a_region_give_their_memory_back() {
                use $api::boxed::Box;
                let mut memory = vec![core::mem::MaybeUninit::uninit(); 100_000];
                let region = heapsmith::Region::new(&mut memory);
                let mut all: [Vec<usize, _>; 5] = std::array::from_fn(|_| Vec::new_in(&region));
                for n in 0..1000 {
                    all[n % 5].push(n);
                }
                for (i, v) in all.iter_mut().enumerate() {
                    v.shrink_to_fit();
                    assert!(v.iter().copied().eq((i..1000).step_by(5)));
                }
                assert_eq!(*Box::new_in([7u128; 10], &region), [7; 10]);
                assert!(Box::try_new_in([0u8; 100_000], &region).is_err());
                drop(all);
                assert_eq!((region.stats().in_use_bytes, region.check()), (0, Ok(())));
            }

            #[cfg(all(feature = "region", not(miri)))]
            #[test]
            fn boxes_in_a_shared_region_are_freed_by_any_thread() {
                use heapsmith::{Region, SyncRegion};
                use $api::boxed::Box;
                let mut memory = vec![core::mem::MaybeUninit::uninit(); 100_000];
                let region = &SyncRegion::new(Region::new(&mut memory));
                std::thread::scope(|threads| {
                    for n in 0..4 {
                        let mut text = Box::new_in(n, region);
                        threads.spawn(move || {
                            *text += 1;
                            let mut list = Vec::new_in(region);
                            list.extend(0..100);
                            assert_eq!((list.len(), *text), (100, n + 1));
                        });
                    }
                });
                assert_eq!(region.with(|r| r.stats().in_use_bytes), 0);
            }
        }
    };
}

tests!(version_02, allocator_api2_02);
tests!(version_03, allocator_api2_03);
tests!(version_04, allocator_api2_04);
#[cfg(allocator_api)]
tests!(of_std, std);
