// Allocates from the families of heapsmith as a program would that follows an advice.
#include "families.hpp"

#include <string.h>

namespace heapsmith::replayer {

bool scope_stack::end(void* block) {
  constexpr std::size_t searched = 1000;
  const std::size_t count = entries_.count();
  const std::size_t last = count > searched ? count - searched : 0;
  for (std::size_t at = count; at > last; --at) {  // 1,000 times at most
    if (entries_[at - 1].block != block) continue;
    entries_[at - 1].block = nullptr;
    return at == count;
  }
  return false;  // it ends with the others, when none is in use
}

lane::lane(const treatment& what, touch touches, bool is_null, shared_pool* shared)
    : kind_(static_cast<family>(what.kind)),
      is_null_(is_null),
      reads_(touches != touch::none),
      limit_(what.limit) {
  if (kind_ == family::arena || kind_ == family::scope) new (&own_.arena) arena<process_malloc>();
  if (kind_ == family::pool) new (&own_.pool) unsynchronized_pool<process_malloc>();
  if (kind_ == family::shared_pool) own_.shared = shared;
  if (kind_ == family::heap) own_.heap = nullptr;  // made when the thread needs it
}

void* lane::allocate(const allocator& calls, std::size_t bytes, bool is_zeroed) {
  void* const p = take(calls, bytes);
  if (is_zeroed && !is_null_ && p != nullptr) memset(p, 0, bytes);
  return p;
}

// On the null allocator, all is done that a program would not do: what is left is the family's
// cost. A buffer costs a program nothing.
void* lane::take(const allocator& calls, std::size_t bytes) {
  switch (kind_) {
    case family::buffer:
      if (is_used_ || bytes > limit_) break;
      if (buffer_ == nullptr) buffer_ = calls.malloc(limit_);
      if (buffer_ == nullptr) break;
      is_used_ = true;
      return buffer_;
    case family::arena:
      ++blocks_;
      if (is_null_) break;
      return own_.arena.try_allocate(bytes);
    case family::pool:
      if (is_null_) break;
      return own_.pool.try_allocate(bytes);
    case family::shared_pool:
      if (is_null_) break;
      return own_.shared->try_allocate(bytes);
    case family::scope:
      ++blocks_;
      return open_scope(calls, bytes);
    case family::heap:
      if (ended_.count() != 0) free_ended(calls);
      ++blocks_;
      if (is_null_) break;
      return allocate_in_heap(bytes);
    case family::none:
      break;
  }
  return calls.malloc(bytes);
}

void* lane::open_scope(const allocator& calls, std::size_t bytes) {
  if (end_ && !is_null_) own_.arena.rewind(*end_);
  end_.reset();
  const arena_checkpoint before = own_.arena.checkpoint();
  void* const p = is_null_ ? calls.malloc(bytes) : own_.arena.try_allocate(bytes);
  scopes_.push(p, before);
  return p;
}

/// Effects: ends the block, and those that ended before it but were not the newest. A function ends
/// the blocks of its scope at once, so the arena goes back when the next block comes.
void lane::close_scopes(void* p) {
  if (blocks_ == 0) {
    end_.reset();
    scopes_.clear();
    own_.arena.reset();
    return;
  }
  if (!scopes_.end(p)) return;
  end_ = scopes_.newest().before;
  scopes_.pop();
  while (!scopes_.is_empty() && scopes_.newest().block == nullptr) {  // each entry is popped once
    end_ = scopes_.newest().before;
    scopes_.pop();
  }
}

void* lane::allocate_in_heap(std::size_t bytes) {
  if (own_.heap == nullptr) [[unlikely]] {
    own_.heap = hs_heap_create();
    if (own_.heap == nullptr) return nullptr;
  }
  return hs_heap_malloc(own_.heap, bytes);
}

/// Effects: frees the blocks that ended one by one. Complexity: amortised, as each block ends once.
void lane::free_ended(const allocator& calls) {
  for (std::size_t i = 0; i < ended_.count(); ++i) {
    if (reads_) read<touch::first>(ended_[i]);
    is_null_ ? calls.free(ended_[i]) : hs_heap_free(own_.heap, ended_[i]);
  }
  ended_.clear();
}

/// Whether a block of the heap ends alone or with all others is seen at the next allocation.
void lane::end_in_heap(void* p) {
  ended_.push(p);
  if (--blocks_ != 0) return;
  ended_.clear();
  if (!is_null_) hs_heap_reset(own_.heap);
}

// The others have no block of it.
void lane::end_refused() {
  switch (kind_) {
    case family::arena:
      if (--blocks_ == 0) own_.arena.reset();
      return;
    case family::scope:
      --blocks_;
      return close_scopes(nullptr);
    case family::heap:
      if (--blocks_ != 0) return;
      ended_.clear();
      if (!is_null_ && own_.heap != nullptr) hs_heap_reset(own_.heap);
      return;
    case family::buffer:
    case family::pool:
    case family::shared_pool:
    case family::none:
      return;
  }
}

void lane::deallocate(const allocator& calls, void* p, std::size_t bytes) {
  switch (kind_) {
    case family::buffer:
      if (p != buffer_) break;
      is_used_ = false;
      return;
    case family::arena:
      if (--blocks_ == 0) own_.arena.reset();
      return;
    case family::pool:
      if (is_null_) break;
      return own_.pool.deallocate(p, bytes);
    case family::shared_pool:
      if (is_null_) break;
      return own_.shared->deallocate(p, bytes);
    case family::scope:
      --blocks_;
      return close_scopes(p);
    case family::heap:
      return end_in_heap(p);
    case family::none:
      break;
  }
  calls.free(p);
}

}  // namespace heapsmith::replayer
