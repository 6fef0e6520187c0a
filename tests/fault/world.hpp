// A program's view of the heap while memory fails: its blocks, their contents, and what it expects.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "heapsmith/heapsmith.h"

namespace heapsmith::fault {

/// Prints what is wrong and exits: worlds live in child processes that sweeps make.
[[noreturn]] void wrong(const char* what, int line);
#define HS_EXPECT(condition)                                                                       \
  ((condition) ? void() : ::heapsmith::fault::wrong(#condition, __LINE__))

/// Blocks with marked contents. Every request may fail, with null and ENOMEM, or succeed; a block
/// that exists keeps its contents whatever fails. Thread safe.
class world {
 public:
  // Each returns whether memory was there.
  bool get(std::size_t bytes);
  bool get_zeroed(std::size_t bytes);
  bool get_aligned(std::size_t align, std::size_t bytes);
  bool get_in(hs_heap* heap, std::size_t bytes);
  /// Resizes the block got last.
  bool resize(std::size_t bytes);
  /// Gives advice for some OS pages of the block got last, and locks one.
  void advise_last() const;

  std::size_t count() const { return blocks_.size(); }
  /// How many requests got null so far, also in children that said so.
  std::size_t refused() const { return refused_; }
  void note_refusal() { ++refused_; }
  void drop_last();
  void drop_all();
  /// Drops every block but each k-th.
  void thin_out(std::size_t k);

  /// All contents are as they were written.
  void check() const;

  /// With nothing refused any more every kind of request succeeds, and the heap's statistics add
  /// up.
  void works_again();

 private:
  struct held {
    unsigned char* p;
    std::size_t bytes;
    unsigned char mark;
  };
  bool keep(void* p, std::size_t bytes);

  mutable std::mutex mutex_;
  std::vector<held> blocks_;
  std::atomic<std::size_t> refused_ = 0;
  unsigned char next_mark_ = 0;
};

}  // namespace heapsmith::fault
