//! The code that `heapsmith advise` shows for programs in Rust compiles, and does what it says.

#[path = "../../../cli/src/advise_code/arena.rs"]
mod arena;
#[path = "../../../cli/src/advise_code/heap.rs"]
mod heap;
#[path = "../../../cli/src/advise_code/pool.rs"]
mod pool;
#[path = "../../../cli/src/advise_code/reserve.rs"]
mod reserve;
#[path = "../../../cli/src/advise_code/reused_buffer.rs"]
mod reused_buffer;
#[path = "../../../cli/src/advise_code/scope.rs"]
mod scope;
#[path = "../../../cli/src/advise_code/shared_pool.rs"]
mod shared_pool;
#[path = "../../../cli/src/advise_code/stack_buffer.rs"]
mod stack_buffer;
