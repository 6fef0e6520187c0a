// The model of the heap: the blocks that must exist, their addresses and contents.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace heapsmith::fuzz {

/// Prints what the heap did wrong and aborts the process, so that the fuzzer keeps the input.
[[noreturn]] void wrong(const char* what, int line);
#define HS_MUST(condition) ((condition) ? void() : ::heapsmith::fuzz::wrong(#condition, __LINE__))

struct block {
  unsigned char* p;
  std::size_t bytes;  // requested size
  std::size_t align;
  unsigned char mark;
};

/// Not thread-safe: one thread takes all steps; other threads only free blocks.
class model {
 public:
  std::size_t count() const { return blocks_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// Adds a block that the heap returned. It must be aligned, overlap no other, and have its size.
  void add(void* p, std::size_t bytes, std::size_t align);

  /// Checks the contents of a block and takes it out of the model, to be freed or resized.
  block remove(std::size_t index);
  const block& look(std::size_t index) const { return blocks_[index]; }

  void check_all() const;

  static void check(const block& b) { check_first(b, b.bytes); }
  /// Checks the first `bytes` bytes, which resizing must keep.
  static void check_first(const block& b, std::size_t bytes);

 private:
  std::vector<block> blocks_;
  std::map<const unsigned char*, const unsigned char*> extents_;  // start → end of usable bytes
  std::size_t bytes_ = 0;
  unsigned char next_mark_ = 1;
};

}  // namespace heapsmith::fuzz
