// The buffers of a region, in the order of their addresses. Adjoining buffers are joined into one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "region/block.hpp"

namespace heapsmith::regions {

/// A buffer, and the part of it that is divided into blocks. Headers lie 8 bytes before a multiple
/// of 16. The last one, the sentinel, has size 0 and is never free, so no split or merge needs to
/// know where a buffer ends.
struct buffer {
  link begin, end;   // the whole buffer
  link first, last;  // the header of the first block, and the sentinel

  [[nodiscard]] static constexpr link header_from(link l) {
    return ((l + header_bytes + granule - 1) & ~(granule - 1)) - header_bytes;
  }
  [[nodiscard]] static constexpr link header_below(link l) {
    return ((l + header_bytes) & ~(granule - 1)) - header_bytes;
  }
  /// The buffer [begin, end). If no block fits into it, `first` equals `last`.
  [[nodiscard]] static constexpr buffer over(link begin, link end) {
    buffer buf = {begin, end, header_from(begin), 0};
    buf.last = end - begin < header_bytes ? buf.first : header_below(end - header_bytes);
    if (buf.last < buf.first + block_min) buf.last = buf.first;
    return buf;
  }

  [[nodiscard]] constexpr std::size_t block_bytes() const { return last - first; }
  [[nodiscard]] constexpr link payload() const { return first + header_bytes; }
  /// Whether `l` lies in a payload of the buffer.
  [[nodiscard]] constexpr bool has(link l) const { return l - payload() < block_bytes(); }
};

/// Sorted by address; binary search.
template <std::size_t Most>
class buffer_table {
 public:
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_full() const { return count_ == Most; }
  [[nodiscard]] buffer& operator[](std::size_t i) { return at_[i]; }
  [[nodiscard]] const buffer& operator[](std::size_t i) const { return at_[i]; }
  [[nodiscard]] const buffer* begin() const { return at_; }
  [[nodiscard]] const buffer* end() const { return at_ + count_; }

  /// The number of buffers that begin at or below `l`.
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

  /// The buffer whose payloads include `l`, or null.
  [[nodiscard]] const buffer* find(link l) const {
    const std::size_t n = count_up_to(l);
    return n != 0 && at_[n - 1].has(l) ? &at_[n - 1] : nullptr;
  }

  void insert(std::size_t i, const buffer& buf) {
    for (std::size_t k = count_++; k > i; --k) at_[k] = at_[k - 1];
    at_[i] = buf;
  }
  void remove(std::size_t i) {
    for (--count_; i < count_; ++i) at_[i] = at_[i + 1];
  }
  void clear() { count_ = 0; }

 private:
  std::size_t count_ = 0;
  buffer at_[Most] = {};
};

}  // namespace heapsmith::regions
