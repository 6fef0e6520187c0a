// The buffers of a region that do not adjoin each other, in the order of their addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "region/block.hpp"

namespace heapsmith::regions {

inline constexpr std::size_t ranges_max = 64;

/// A buffer, and which part of it is cut into blocks. Headers lie 8 bytes before a multiple of 16;
/// the last one, the sentinel, has size 0 and is never free, so that nobody asks where a buffer
/// ends.
struct range {
  link begin, end;   // as the caller supplied it
  link first, last;  // the header of the first block, and the sentinel

  [[nodiscard]] static constexpr link header_from(link l) {
    return ((l + header_bytes + granule - 1) & ~(granule - 1)) - header_bytes;
  }
  [[nodiscard]] static constexpr link header_below(link l) {
    return ((l + header_bytes) & ~(granule - 1)) - header_bytes;
  }
  /// Where blocks begin and end in [begin, end); no block is possible when they do not differ.
  [[nodiscard]] static constexpr range over(link begin, link end) {
    range r = {begin, end, header_from(begin), 0};
    r.last = end - begin < header_bytes ? r.first : header_below(end - header_bytes);
    if (r.last < r.first + block_min) r.last = r.first;
    return r;
  }

  [[nodiscard]] constexpr std::size_t block_bytes() const { return last - first; }
  [[nodiscard]] constexpr link payload() const { return first + header_bytes; }
  /// Whether a payload of the range could lie there.
  [[nodiscard]] constexpr bool has(link l) const { return l - payload() < block_bytes(); }
};

/// Sorted by address; binary search.
class range_table {
 public:
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_full() const { return count_ == ranges_max; }
  [[nodiscard]] range& operator[](std::size_t i) { return at_[i]; }
  [[nodiscard]] const range& operator[](std::size_t i) const { return at_[i]; }
  [[nodiscard]] const range* begin() const { return at_; }
  [[nodiscard]] const range* end() const { return at_ + count_; }

  /// How many ranges begin at or below `l`.
  [[nodiscard]] std::size_t count_up_to(link l) const {
    std::size_t low = 0, high = count_;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (at_[middle].begin <= l)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// The range that has payloads at `l`, or null.
  [[nodiscard]] const range* find(link l) const {
    const std::size_t n = count_up_to(l);
    return n != 0 && at_[n - 1].has(l) ? &at_[n - 1] : nullptr;
  }

  void insert(std::size_t i, const range& r) {
    for (std::size_t k = count_++; k > i; --k) at_[k] = at_[k - 1];
    at_[i] = r;
  }
  void remove(std::size_t i) {
    for (--count_; i < count_; ++i) at_[i] = at_[i + 1];
  }
  void clear() { count_ = 0; }

 private:
  std::size_t count_ = 0;
  range at_[ranges_max] = {};
};

}  // namespace heapsmith::regions
