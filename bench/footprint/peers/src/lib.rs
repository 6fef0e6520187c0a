//! The functions of rlsf and tlsf as C would call them, so that their code can be measured alone.
//!
//! malloc returns multiples of 8, as C demands of these processors.
#![no_std]

use core::alloc::Layout;
use core::mem::{size_of, MaybeUninit};
use core::ptr::{null_mut, NonNull};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// The functions of one choice of rlsf's parameters. `$control` has the size of its control data.
macro_rules! rlsf {
    ($type:ty, $control:ident, $init:ident, $allocate:ident, $free:ident, $realloc:ident,
     $aligned:ident, $new:ident) => {
        #[no_mangle]
        pub static $control: [u8; size_of::<$type>()] = [1; size_of::<$type>()];

        /// Done at compile time in a program that is written in Rust.
        #[no_mangle]
        pub unsafe extern "C" fn $new(heap: *mut $type) {
            heap.write(<$type>::new());
        }
        #[no_mangle]
        pub unsafe extern "C" fn $init(heap: &mut $type, memory: *mut u8, bytes: usize) {
            let memory = core::ptr::slice_from_raw_parts_mut(memory, bytes);
            heap.insert_free_block_ptr(NonNull::new_unchecked(memory));
        }
        #[no_mangle]
        pub unsafe extern "C" fn $allocate(heap: &mut $type, bytes: usize) -> *mut u8 {
            let layout = Layout::from_size_align_unchecked(bytes, 8);
            heap.allocate(layout).map_or(null_mut(), |p| p.as_ptr())
        }
        #[no_mangle]
        pub unsafe extern "C" fn $free(heap: &mut $type, p: NonNull<u8>) {
            heap.deallocate(p, 8);
        }
        #[no_mangle]
        pub unsafe extern "C" fn $realloc(
            heap: &mut $type,
            p: NonNull<u8>,
            bytes: usize,
        ) -> *mut u8 {
            let layout = Layout::from_size_align_unchecked(bytes, 8);
            heap.reallocate(p, layout).map_or(null_mut(), |p| p.as_ptr())
        }
        #[no_mangle]
        pub unsafe extern "C" fn $aligned(heap: &mut $type, align: usize, bytes: usize) -> *mut u8 {
            let layout = Layout::from_size_align_unchecked(bytes, align);
            heap.allocate(layout).map_or(null_mut(), |p| p.as_ptr())
        }
    };
}

// Pools below 1 MiB, as a small region. Sixteen lists for each doubling, as the README of rlsf has
// it; and one, as a small region has.
type Rlsf16 = rlsf::Tlsf<'static, u16, u16, 16, 16>;
type Rlsf1 = rlsf::Tlsf<'static, u16, u8, 16, 1>;
rlsf!(
    Rlsf16,
    rlsf16_control,
    rlsf16_init,
    rlsf16_malloc,
    rlsf16_free,
    rlsf16_realloc,
    rlsf16_aligned,
    rlsf16_new
);
rlsf!(
    Rlsf1,
    rlsf1_control,
    rlsf1_init,
    rlsf1_malloc,
    rlsf1_free,
    rlsf1_realloc,
    rlsf1_aligned,
    rlsf1_new
);

/// Pools below 64 KiB: the largest that tlsf has.
type Tlsf = tlsf::Tlsf<'static, 10>;

#[no_mangle]
pub static tlsf_control: [u8; size_of::<Tlsf>()] = [1; size_of::<Tlsf>()];

/// Done at compile time in a program that is written in Rust.
#[no_mangle]
pub unsafe extern "C" fn tlsf_new(heap: *mut Tlsf) {
    heap.write(Tlsf::empty());
}
#[no_mangle]
pub unsafe extern "C" fn tlsf_init(heap: &mut Tlsf, memory: *mut MaybeUninit<u32>, bytes: usize) {
    heap.initialize(core::slice::from_raw_parts_mut(memory, bytes / 4));
}
#[no_mangle]
pub unsafe extern "C" fn tlsf_malloc(heap: &mut Tlsf, bytes: usize) -> *mut u32 {
    let layout = Layout::from_size_align_unchecked(bytes, 8);
    heap.memalign(layout).map_or(null_mut(), |block| block.as_mut_ptr().cast())
}
#[no_mangle]
pub unsafe extern "C" fn tlsf_free(heap: &mut Tlsf, p: NonNull<u32>) {
    heap.free(p);
}
#[no_mangle]
pub unsafe extern "C" fn tlsf_aligned(heap: &mut Tlsf, align: usize, bytes: usize) -> *mut u32 {
    let layout = Layout::from_size_align_unchecked(bytes, align);
    heap.memalign(layout).map_or(null_mut(), |block| block.as_mut_ptr().cast())
}
