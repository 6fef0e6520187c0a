// Members of engine: the buffers it is given, and what becomes of their ends.
#pragma once

#include "region/resize.hpp"

namespace heapsmith::regions {

/// A region that has no buffer yet is started by its first.
template <class Frame>
int engine<Frame>::add_memory(void* buffer, std::size_t bytes) {
  const link begin = this->link_to(buffer), end = begin + bytes;
  if (buffer == nullptr || bytes >= region_bins::size_end || end < begin) return EINVAL;
  const std::size_t at = ranges_.count_up_to(begin);
  range* const low = at != 0 ? &ranges_[at - 1] : nullptr;
  range* const high = at != ranges_.count() ? &ranges_[at] : nullptr;
  if ((low != nullptr && low->end > begin) || (high != nullptr && high->begin < end)) return EINVAL;
  const bool joins_low = low != nullptr && low->end == begin;
  const bool joins_high = high != nullptr && high->begin == end;
  const range alone = range::over(begin, end);
  if (!joins_low && !joins_high && alone.block_bytes() == 0) return EINVAL;
  if (!joins_low && !joins_high && ranges_.is_full()) return ENOSPC;

  if (!is_started()) forget_blocks();
  flush();
  watch::enter_buffer(this, buffer, bytes);
  if (joins_low && joins_high) {
    bridge(*low, *high);
    ranges_.remove(at);
  } else if (joins_low) {
    extend_up(*low, end);
  } else if (joins_high) {
    extend_down(*high, begin);
  } else {
    ranges_.insert(at, alone);
    start(alone);
  }
  make_current(ranges_[at - (joins_low ? 1 : 0)]);
  return 0;
}

/// Makes one free block of a buffer, and ends it with a sentinel.
template <class Frame>
void engine<Frame>::start(const range& r) {
  block* const b = block_at(r.first);
  this->write(block_at(r.last), after_free);
  this->write(b, r.block_bytes() | is_free);
  ++blocks_;
  put_free(b, r.block_bytes(), false);
}

/// What lies between two headers becomes a block and is given back, so that it joins its
/// neighbours. If it is too small for a block and they are in use, it lies idle, in use by nobody.
template <class Frame>
void engine<Frame>::give(link from, link to, std::uint64_t flag) {
  block* const b = block_at(from);
  const std::size_t size = to - from;
  this->write(b, size | flag);
  ++blocks_;
  if (size < block_min && flag == 0 && !info(b->behind(size)).has(is_free)) return;
  change_taken(0, 0);
  taken_ += size;  // for release to take off again
  release(b, info(b));
}

/// The sentinel moves up and leaves a block behind, unless that would be too small.
template <class Frame>
void engine<Frame>::extend_up(range& r, link end) {
  const link last = r.last;
  const std::uint64_t flag = info(block_at(last)).bits & after_free;
  r.end = end;
  const link new_last = range::header_below(end - header_bytes);
  if (new_last < last + (flag != 0 ? granule : block_min)) return;
  r.last = new_last;
  this->write(block_at(new_last), 0);
  give(last, new_last, flag);
}

template <class Frame>
void engine<Frame>::extend_down(range& r, link begin) {
  const link first = r.first, new_first = range::header_from(begin);
  r.begin = begin;
  const std::size_t least = info(block_at(first)).has(is_free) ? granule : block_min;
  if (new_first + least > first) return;
  r.first = new_first;
  give(new_first, first, 0);
}

/// The sentinel of the lower range and what is new become a block in front of the higher range.
template <class Frame>
void engine<Frame>::bridge(range& low, const range& high) {
  const link from = low.last;
  const std::uint64_t flag = info(block_at(from)).bits & after_free;
  low.end = high.end;
  low.last = high.last;
  give(from, high.first, flag);
}

/// Ends all blocks, of which no header is valid any more.
template <class Frame>
void engine<Frame>::forget_blocks() {
  this->change_cookie();
  this->clear();
  for (word& head : quick_) head = 0;
  change_taken(0, 0);
  deferred_room_ = highest_room_ = deferred_limit_ = 0;
  taken_ = blocks_ = next_victim_ = last_carved_ = repeats_ = 0;
}

template <class Frame>
void engine<Frame>::reset() {
  forget_blocks();
  watch::ended(this);
  for (const range& r : ranges_) {
    watch::enter_buffer(this, this->place_of(r.begin), r.end - r.begin);
    start(r);
  }
}

template <class Frame>
void engine<Frame>::destroy() {
  forget_blocks();
  watch::ended(this);
  for (const range& r : ranges_)
    watch::leave_buffer(this, this->place_of(r.begin), r.end - r.begin);
  ranges_.clear();
  low_ = span_ = 0;
  peak_ = failed_ = 0;
}

template <class Frame>
bool engine<Frame>::owns(const void* p) const {
  return ranges_.find(this->link_to(p)) != nullptr;
}

template <class Frame>
stats engine<Frame>::measure() const {
  stats s = {};
  for (const range& r : ranges_) {
    s.buffer_bytes += r.end - r.begin;
    s.block_bytes += r.block_bytes();
  }
  s.buffers = ranges_.count();
  s.deferred = deferred_bytes();
  s.in_use = taken_ - s.deferred;
  s.peak = highest_in_use();
  const block* const b = this->largest();
  s.largest_free = b == nullptr ? 0 : usable_bytes(this->size_of(b));
  s.blocks = blocks_;
  s.failed = failed_;
  return s;
}

}  // namespace heapsmith::regions
