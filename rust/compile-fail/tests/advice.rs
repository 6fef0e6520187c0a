//! The code that `heapsmith advise` shows for programs in Rust compiles, and does what it says.

#[path = "../../../cli/src/advise/code/arena.rs"]
mod arena;
#[path = "../../../cli/src/advise/code/heap.rs"]
mod heap;
#[path = "../../../cli/src/advise/code/pool.rs"]
mod pool;
#[path = "../../../cli/src/advise/code/reserve.rs"]
mod reserve;
#[path = "../../../cli/src/advise/code/reused_buffer.rs"]
mod reused_buffer;
#[path = "../../../cli/src/advise/code/scope.rs"]
mod scope;
#[path = "../../../cli/src/advise/code/shared_pool.rs"]
mod shared_pool;
#[path = "../../../cli/src/advise/code/stack_buffer.rs"]
mod stack_buffer;
