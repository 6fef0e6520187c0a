// How a region refers to places in memory that several processes map, at different addresses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "region/frame.hpp"

namespace heapsmith::regions {

/// The engine lies so far behind the start of the segment.
inline constexpr std::size_t shared_lead = 256;

/// Links count from the start of the segment: whoever maps it at a multiple of an alignment finds
/// the blocks that lie there aligned, too.
class shared_frame {
 public:
  using watch = unwatched;

 protected:
  [[nodiscard]] link link_to(const void* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - base();
  }
  [[nodiscard]] std::byte* place_of(link l) const {
    return reinterpret_cast<std::byte*>(base() + l);
  }
  /// A process may be killed between any two stores. The processor makes them visible in order; the
  /// fences keep the compiler from moving them.
  static void publish(word& header, std::uint64_t value) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    detail::probe::store(header, value);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

 private:
  [[nodiscard]] std::uintptr_t base() const {
    return reinterpret_cast<std::uintptr_t>(this) - shared_lead;
  }
};

}  // namespace heapsmith::regions
