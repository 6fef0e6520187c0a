// Allocates from the families of heapsmith as a program would that follows an advice.
#include "families.hpp"

#include <string.h>
#include <sys/mman.h>

namespace heapsmith::replayer {

void scope_stack::push(void* block, arena_checkpoint before) {
  if ((count_ + 1) * sizeof(entry) > bytes_) {
    const std::size_t wanted = bytes_ == 0 ? 64 * 1024 : 2 * bytes_;
    void* const moved = bytes_ == 0 ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
                                    : mremap(entries_, bytes_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) __builtin_trap();
    // All pages are touched, so that they can be subtracted.
    memset(static_cast<char*>(moved) + bytes_, 0, wanted - bytes_);
    entries_ = static_cast<entry*>(moved);
    bytes_ = wanted;
  }
  new (&entries_[count_++]) entry{block, before};
}

bool scope_stack::end(void* block) {
  constexpr std::size_t searched = 1000;
  const std::size_t last = count_ > searched ? count_ - searched : 0;
  for (std::size_t at = count_; at > last; --at) {  // 1,000 times at most
    if (entries_[at - 1].block != block) continue;
    entries_[at - 1].block = nullptr;
    return at == count_;
  }
  return false;  // it ends with the others, when none is in use
}

lane::lane(const treatment& what, bool is_null, shared_pool* shared)
    : kind_(static_cast<family>(what.kind)), is_null_(is_null), limit_(what.limit) {
  if (kind_ == family::arena || kind_ == family::scope) new (&own_.arena) arena<process_malloc>();
  if (kind_ == family::pool) new (&own_.pool) unsynchronized_pool<process_malloc>();
  if (kind_ == family::shared_pool) own_.shared = shared;
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
    case family::none:
      break;
  }
  calls.free(p);
}

}  // namespace heapsmith::replayer
