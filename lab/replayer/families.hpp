// The families of heapsmith to which a plan gives the blocks of some sites, instead of to malloc.
#pragma once

#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

#include "calls.hpp"
#include "heapsmith/arena.hpp"
#include "heapsmith/heap.h"
#include "heapsmith/pool_resource.hpp"
#include "own_list.hpp"
#include "touch.hpp"

namespace heapsmith::replayer {

/// The numbers are those of a plan (lab/trace/src/plan/treatments.rs).
enum class family : std::uint32_t {
  none,
  buffer,       // one block at a time lies in a buffer of the thread; others come from malloc
  arena,        // of the thread; frees nothing until all its blocks have ended
  pool,         // of the thread
  shared_pool,  // of all threads
  scope,        // an arena of the thread that is rewound when its newest blocks have ended
  heap,         // of the thread; ends its last blocks at once
};

/// A treatment, as a plan has it.
struct treatment {
  std::uint64_t kind;   // a family
  std::uint64_t limit;  // of a buffer, in bytes
};

/// The malloc of the process as the upstream of the families.
class process_malloc {
 public:
  void* try_allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) noexcept {
    if (align <= alignof(std::max_align_t)) return malloc(bytes);
    return aligned_alloc(align, (bytes + align - 1) / align * align);
  }
  void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
    void* const p = try_allocate(bytes, align);
    if (p == nullptr) __builtin_trap();
    return p;
  }
  void deallocate(void* p, std::size_t, std::size_t = alignof(std::max_align_t)) noexcept {
    free(p);
  }
};

using shared_pool = synchronized_pool<process_malloc>;

/// The blocks of scopes, the newest last, with where the arena was before each.
class scope_stack {
 public:
  struct entry {
    void* block;  // or null: it has ended, but newer ones have not
    arena_checkpoint before;
  };

  void push(void* block, arena_checkpoint before) { entries_.push({block, before}); }
  /// Effects: marks the entry of the block, if it is among the newest 1,000. Returns: whether it is
  /// the newest.
  bool end(void* block);
  void pop() { entries_.pop(); }
  void clear() { entries_.clear(); }
  bool is_empty() const { return entries_.count() == 0; }
  const entry& newest() const { return entries_[entries_.count() - 1]; }
  std::size_t own_bytes() const { return entries_.own_bytes(); }

 private:
  own_list<entry> entries_;
};

/// A treatment as one thread uses it. It lives until the process ends, as does its memory.
class lane {
 public:
  lane(const treatment& what, touch touches, bool is_null, shared_pool* shared);

  /// Returns: a block from the family; in a replay on the null allocator, that of `calls`.
  void* allocate(const allocator& calls, std::size_t bytes, bool is_zeroed);

  /// Requires: allocate() of this thread, or of any if the pool is shared, gave the block.
  void deallocate(const allocator& calls, void* p, std::size_t bytes);
  /// Effects: ends a block for which allocate() returned null.
  void end_refused();

  /// Returns: whether a program goes to each block to end it. An arena ends its blocks unseen. The
  /// lane itself visits those of a heap that end alone.
  bool visits_ended() const {
    return kind_ != family::arena && kind_ != family::scope && kind_ != family::heap;
  }

  /// Returns: the bytes that are the replay's, and not the family's.
  std::size_t own_bytes() const { return scopes_.own_bytes() + ended_.own_bytes(); }

 private:
  void* open_scope(const allocator& calls, std::size_t bytes);
  void close_scopes(void* p);
  void* allocate_in_heap(std::size_t bytes);
  void free_ended(const allocator& calls);
  void end_in_heap(void* p);

  void* take(const allocator& calls, std::size_t bytes);

  /// Only the one of `kind_` is alive.
  union families {
    families() {}
    ~families() {}
    heapsmith::arena<process_malloc> arena;
    unsynchronized_pool<process_malloc> pool;
    replayer::shared_pool* shared;
    hs_heap* heap;
  };

  family kind_;
  bool is_null_;
  bool reads_;            // blocks of the heap when they end alone
  bool is_used_ = false;  // the buffer
  std::uint64_t limit_;
  void* buffer_ = nullptr;
  std::uint64_t blocks_ = 0;  // in use, of an arena or a heap
  own_list<void*> ended_;     // blocks of the heap since its last allocation
  scope_stack scopes_;
  std::optional<arena_checkpoint> end_;  // of the scopes in use, where the arena has to go back to
  families own_;
};

}  // namespace heapsmith::replayer
