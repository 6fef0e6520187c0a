// The heap as the cases drive it: the library's own sources over model spans.
#pragma once

#include "checker/model.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith::model {

/// Heaps and spans of one execution. `spans::take` and `spans::give` are doubles that keep the
/// books: a span's life lasts from take to give, and its next user writes all over it, so the
/// thread that gives a span must have ordered itself after every thread that used it.
class heap_world {
 public:
  heap_world();
  heap_world(const heap_world&) = delete;
  heap_world& operator=(const heap_world&) = delete;

  /// malloc and free by the thread that works with `h`. A block's life lasts from one to the other,
  /// so that a block in two hands or used before its last user was done is seen.
  block* allocate(thread_heap& h, class_index c);
  void free(thread_heap& h, block* b);
  /// free() by a thread without a heap.
  void free(block* b);

  /// Does the work of a thread that ends: abandons its heap. All blocks must have been freed when
  /// the case ends: then this empties every heap, and a block that was lost leaves its span's life
  /// unended.
  void abandon(thread_heap& h);
  ~heap_world();

  static constexpr unsigned heap_count = 2, span_count = 4;  // the last span has two slices
  thread_heap heaps[heap_count];

 private:
  friend struct span_books;
  slab* slab_of(block* b);

  spans::record records_[span_count + 1];
  atomic<std::uint8_t> taken_[span_count];
};

}  // namespace heapsmith::model
