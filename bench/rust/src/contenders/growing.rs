//! How the vectors of the contenders grow.

macro_rules! growing {
    ([$($generics:tt)*] $vector:ty) => {
        impl<$($generics)*> crate::vectors::Growing for $vector {
            #[inline(always)]
            fn push(&mut self, value: u64) {
                self.push(value);
            }
            fn contents(&self) -> &[u64] {
                self
            }
        }
    };
}

growing!([] Vec<u64>);
growing!([A: allocator_api2::alloc::Allocator] allocator_api2::vec::Vec<u64, A>);
growing!(['l, 'g] ::heapsmith::ArenaVec<'l, 'g, u64>);
growing!(['a] ::bumpalo::collections::Vec<'a, u64>);
growing!([A: ::bump_scope::traits::BumpAllocatorTyped] ::bump_scope::BumpVec<u64, A>);
