// The whole fast path of a region. Slow paths are called by name.
//
// docs/paths/region.md follows one call through it.
#pragma once

#include <bit>

#include "region/engine.hpp"

namespace heapsmith::regions {

/// Pops a deferred block of the right size: list i has blocks of i granules. Requests of up to 8
/// bytes, and those so large that the sum overflows, use lists 0 and 1, which are always empty.
template <class Frame>
[[gnu::always_inline]] inline void* engine<Frame>::allocate(std::size_t bytes) {
  const std::size_t i = (bytes + header_bytes + granule - 1) / granule;
  if (i > quick_max / granule || quick_[i] == 0) [[unlikely]]
    return allocate_slow(bytes);
  return reuse(i, bytes);
}

template <class Frame>
[[gnu::always_inline]] inline void* engine<Frame>::reuse(std::size_t i, std::size_t bytes) {
  block* const b = block_of(this->address_of(quick_[i]));
  quick_[i] = detail::probe::load(b->next);
  this->drop_flag(b, is_deferred);
  deferred_room_ += static_cast<std::ptrdiff_t>(i);
  if (deferred_room_ > highest_room_) [[unlikely]]
    highest_room_ = deferred_room_;
  watch::allocated(this, b->payload(), bytes, usable_bytes(i * granule));
  return b->payload();
}

/// Pushes a small block on the list of its size. Null and foreign pointers fail the first test. So
/// do misaligned pointers, because the rotation turns their low bits into high ones. In the same
/// way one comparison rejects blocks that are free, deferred or large, and words without a seal.
template <class Frame>
[[gnu::always_inline]] inline void engine<Frame>::deallocate(void* p) {
  const link l = this->link_to(p);
  if (std::rotr(l - low_, region_bins::granule_shift) >= span_) [[unlikely]]
    return deallocate_elsewhere(p);
  block* const b = block_of(p);
  const std::uint64_t header = detail::probe::load(b->header);
  const std::uint64_t bits = (header ^ this->seal(b)) & ~std::uint64_t{after_free};
  const std::uint64_t i = std::rotr(bits, region_bins::granule_shift);
  if (i > quick_max / granule || deferred_room_ < static_cast<std::ptrdiff_t>(i)) [[unlikely]]
    return deallocate_slow(b);
  defer(b, static_cast<std::size_t>(i), header);
}

/// The link back of the first block of a list is stale: nothing reads it.
template <class Frame>
[[gnu::always_inline]] inline void engine<Frame>::defer(block* b, std::size_t i,
                                                        std::uint64_t header) {
  watch::freed(this, b->payload(), usable_bytes(i * granule));
  const link l = this->link_to(b->payload()), first = quick_[i];
  detail::probe::store(b->next, first);
  if (first != 0) detail::probe::store(block_of(this->address_of(first))->previous, l);
  this->publish(b->header, header | is_deferred);
  quick_[i] = l;
  deferred_room_ -= static_cast<std::ptrdiff_t>(i);
}

}  // namespace heapsmith::regions
