// The memory of a replay over time, and where it went as far as the allocator tells.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::replayer {

/// One moment. All but the time are bytes; `unknown` stands where nobody tells.
struct memory_sample {
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::uint64_t ns;          // of the recording
  std::uint64_t live;        // that the program had asked for
  std::uint64_t anonymous;   // pages of the process that belong to no file
  std::uint64_t in_blocks;   // in use, as the allocator counts
  std::uint64_t in_threads;  // free, kept for single threads
  std::uint64_t in_spans;    // that are cut into blocks, in use or free
  std::uint64_t kept;        // free spans that were not returned to the kernel
};

class memory_log {
 public:
  /// Effects: takes memory for `most` samples from the kernel, and finds the allocator's
  /// statistics.
  void open(std::uint32_t most);
  /// Effects: looks now. Only one thread at a time looks; another one passes.
  void look(std::uint64_t ns, std::uint64_t live);
  /// Effects: writes a line for each sample: `sample` and the fields of memory_sample, `-` for what
  /// is unknown.
  void print() const;
  void reset() { n_ = 0; }

 private:
  memory_sample* samples_;
  std::uint32_t most_;
  std::uint32_t n_;
  int statm_;
  bool is_looking_;
};

}  // namespace heapsmith::replayer
