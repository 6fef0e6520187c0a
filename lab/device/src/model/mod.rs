//! Models of allocators. Each says how much memory a program would have taken from the device.
//!
//! | model | module |
//! |---|---|
//! | PyTorch's native allocator, with its settings | [`torch`] |
//! | cudaMallocAsync, heapsmith's `offset_region` | [`range`] |
//! | the least that is possible | [`bound`] |

pub mod allocator;
pub mod bound;
pub mod range;
mod supply;
pub mod torch;
