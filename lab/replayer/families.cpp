// Allocates from the families of heapsmith as a program would that follows an advice.
#include "families.hpp"

#include <string.h>

namespace heapsmith::replayer {

lane::lane(const treatment& what, bool is_null, shared_pool* shared)
    : kind_(static_cast<family>(what.kind)), is_null_(is_null), limit_(what.limit) {
  if (kind_ == family::arena) new (&own_.arena) arena<process_malloc>();
  if (kind_ == family::pool) new (&own_.pool) unsynchronized_pool<process_malloc>();
  if (kind_ == family::shared_pool) own_.shared = shared;
}

void* lane::allocate(const allocator& calls, std::size_t bytes, bool is_zeroed) {
  if (is_null_) return calls.malloc(bytes);
  void* const p = take(calls, bytes);
  if (is_zeroed && p != nullptr) memset(p, 0, bytes);
  return p;
}

void* lane::take(const allocator& calls, std::size_t bytes) {
  switch (kind_) {
    case family::buffer:
      if (is_used_ || bytes > limit_) return calls.malloc(bytes);
      if (buffer_ == nullptr) buffer_ = calls.malloc(limit_);
      is_used_ = true;
      return buffer_;
    case family::arena:
      ++blocks_;
      return own_.arena.try_allocate(bytes);
    case family::pool:
      return own_.pool.try_allocate(bytes);
    case family::shared_pool:
      return own_.shared->try_allocate(bytes);
    case family::none:
      break;
  }
  return calls.malloc(bytes);
}

void lane::deallocate(const allocator& calls, void* p, std::size_t bytes) {
  if (is_null_) return calls.free(p);
  switch (kind_) {
    case family::buffer:
      if (p != buffer_) return calls.free(p);
      is_used_ = false;
      return;
    case family::arena:
      own_.arena.deallocate(p, bytes);
      if (--blocks_ == 0) own_.arena.reset();
      return;
    case family::pool:
      return own_.pool.deallocate(p, bytes);
    case family::shared_pool:
      return own_.shared->deallocate(p, bytes);
    case family::none:
      break;
  }
  calls.free(p);
}

}  // namespace heapsmith::replayer
