// The model of the heap: the blocks that must exist, where they lie and what is in them.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace heapsmith::fuzz {

/// Says what the heap did wrong and ends the process, so that the engine keeps the input.
[[noreturn]] void wrong(const char* what, int line);
#define HS_MUST(condition) ((condition) ? void() : ::heapsmith::fuzz::wrong(#condition, __LINE__))

struct block {
  unsigned char* p;
  std::size_t bytes;  // asked for
  std::size_t align;
  unsigned char mark;
};

/// Not thread safe: one thread steps, and hands blocks to others only to be freed.
class model {
 public:
  std::size_t count() const { return blocks_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// The heap returned a block: it is aligned, overlaps none, and is as long as it says.
  void add(void* p, std::size_t bytes, std::size_t align);

  /// Takes a block out of the model, to be freed or resized; its contents were checked.
  block remove(std::size_t index);
  const block& look(std::size_t index) const { return blocks_[index]; }

  void check_all() const;

  static void check(const block& b) { check_first(b, b.bytes); }
  /// The first `bytes` bytes, which came along when the block was resized.
  static void check_first(const block& b, std::size_t bytes);

 private:
  std::vector<block> blocks_;
  std::map<const unsigned char*, const unsigned char*> extents_;  // start → end of usable bytes
  std::size_t bytes_ = 0;
  unsigned char next_mark_ = 1;
};

}  // namespace heapsmith::fuzz
