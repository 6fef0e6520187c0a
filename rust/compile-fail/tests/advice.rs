//! The code that `heapsmith advise` shows for programs in Rust compiles, and does what it says.

#[path = "../../../lab/cli/src/advise/code/arena.rs"]
mod arena;
#[path = "../../../lab/cli/src/advise/code/heap.rs"]
mod heap;
#[path = "../../../lab/cli/src/advise/code/pool.rs"]
mod pool;
#[path = "../../../lab/cli/src/advise/code/reserve.rs"]
mod reserve;
#[path = "../../../lab/cli/src/advise/code/reused_buffer.rs"]
mod reused_buffer;
#[path = "../../../lab/cli/src/advise/code/scope.rs"]
mod scope;
#[path = "../../../lab/cli/src/advise/code/shared_pool.rs"]
mod shared_pool;
#[path = "../../../lab/cli/src/advise/code/stack_buffer.rs"]
mod stack_buffer;
