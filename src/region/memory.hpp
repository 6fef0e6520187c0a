// Members of engine: its buffers, and everything that goes over all of their blocks.
#pragma once

#include "region/resize.hpp"

namespace heapsmith::regions {

/// The first buffer starts the region.
template <class Frame>
int engine<Frame>::add_memory(void* memory, std::size_t bytes) {
  const link begin = this->link_to(memory), end = begin + bytes;
  if (memory == nullptr || bytes >= bins::end || end < begin) return EINVAL;
  const std::size_t at = buffers_.count_up_to(begin);
  buffer* const low = at != 0 ? &buffers_[at - 1] : nullptr;
  buffer* const high = at != buffers_.count() ? &buffers_[at] : nullptr;
  if ((low != nullptr && low->end > begin) || (high != nullptr && high->begin < end)) return EINVAL;
  const bool joins_low = low != nullptr && low->end == begin;
  const bool joins_high = high != nullptr && high->begin == end;
  const link joined_end = joins_high ? high->end : end;
  if (joined_end - (joins_low ? low->begin : begin) >= bins::end) return EINVAL;
  const buffer alone = buffer::over(begin, end);
  if (!joins_low && !joins_high && alone.block_bytes() == 0) return EINVAL;
  if (!joins_low && !joins_high && buffers_.is_full()) return ENOSPC;

  if (!is_started()) forget_blocks();
  flush();
  watch::enter_buffer(this, memory, bytes);
  if (joins_low && joins_high) {
    bridge(*low, *high);
    buffers_.remove(at);
  } else if (joins_low) {
    extend_up(*low, end);
  } else if (joins_high) {
    extend_down(*high, begin);
  } else {
    buffers_.insert(at, alone);
    start(alone);
  }
  make_current(buffers_[at - (joins_low ? 1 : 0)]);
  return 0;
}

/// Makes a buffer one free block, followed by a sentinel.
template <class Frame>
void engine<Frame>::start(const buffer& buf) {
  block* const b = block_at(buf.first);
  this->write(block_at(buf.last), after_free);
  this->write(b, buf.block_bytes() | is_free);
  ++blocks_;
  put_free(b, buf.block_bytes(), false);
}

/// Makes the memory between two headers a block and frees it, so that it joins its neighbours. If
/// it is too small for a block and both neighbours are in use, it remains unused.
template <class Frame>
void engine<Frame>::give(link from, link to, std::uint64_t flag) {
  block* const b = block_at(from);
  const std::size_t size = to - from;
  this->write(b, size | flag);
  ++blocks_;
  if (size < block_min && flag == 0 && !info(b->behind(size)).has(is_free)) return;
  change_taken(0, 0);
  taken_ += size;  // which release subtracts again
  release(b, info(b));
}

/// Moves the sentinel up and frees the memory below it, unless that is too small.
template <class Frame>
void engine<Frame>::extend_up(buffer& buf, link end) {
  const link last = buf.last;
  const std::uint64_t flag = info(block_at(last)).bits & after_free;
  buf.end = end;
  const link new_last = buffer::header_below(end - header_bytes);
  if (new_last < last + (flag != 0 ? granule : block_min)) return;
  buf.last = new_last;
  this->write(block_at(new_last), 0);
  give(last, new_last, flag);
}

template <class Frame>
void engine<Frame>::extend_down(buffer& buf, link begin) {
  const link first = buf.first, new_first = buffer::header_from(begin);
  buf.begin = begin;
  const std::size_t least = info(block_at(first)).has(is_free) ? granule : block_min;
  if (new_first + least > first) return;
  buf.first = new_first;
  give(new_first, first, 0);
}

/// Makes the sentinel of the lower buffer and the new memory a block in front of the higher buffer.
template <class Frame>
void engine<Frame>::bridge(buffer& low, const buffer& high) {
  const link from = low.last;
  const std::uint64_t flag = info(block_at(from)).bits & after_free;
  low.end = high.end;
  low.last = high.last;
  give(from, high.first, flag);
}

/// Ends all blocks, and invalidates their headers.
template <class Frame>
void engine<Frame>::forget_blocks() {
  this->change_cookie();
  this->clear();
  for (link_word& head : quick_) head = 0;
  change_taken(0, 0);
  deferred_room_ = highest_room_ = deferred_limit_ = 0;
  taken_ = blocks_ = next_victim_ = last_carved_ = repeats_ = 0;
}

template <class Frame>
void engine<Frame>::reset() {
  forget_blocks();
  watch::ended(this);
  for (const buffer& buf : buffers_) {
    watch::enter_buffer(this, this->address_of(buf.begin), buf.end - buf.begin);
    start(buf);
  }
}

template <class Frame>
void engine<Frame>::destroy() {
  forget_blocks();
  watch::ended(this);
  for (const buffer& buf : buffers_)
    watch::leave_buffer(this, this->address_of(buf.begin), buf.end - buf.begin);
  buffers_.clear();
  low_ = span_ = 0;
  peak_ = failed_ = 0;
}

template <class Frame>
bool engine<Frame>::owns(const void* p) const {
  return buffers_.find(this->link_to(p)) != nullptr;
}

template <class Frame>
stats engine<Frame>::measure() const {
  stats s = {};
  for (const buffer& buf : buffers_) {
    s.buffer_bytes += buf.end - buf.begin;
    s.block_bytes += buf.block_bytes();
  }
  s.buffers = buffers_.count();
  s.deferred = deferred_bytes();
  s.in_use = taken_ - s.deferred;
  s.peak = highest_in_use();
  const block* const b = this->largest();
  s.largest_free = b == nullptr ? 0 : usable_bytes(this->size_of(b));
  s.blocks = blocks_;
  s.failed = failed_;
  return s;
}

/// Calls visit(b, info) for every block of a buffer. Returns: false if a header is broken.
template <class Frame>
template <class Visit>
bool engine<Frame>::walk(const buffer& buf, Visit&& visit) const {
  for (link at = buf.first; at != buf.last;) {
    block* const b = block_at(at);
    const block_info i = info(b);
    const std::size_t size = i.size();
    if (!i.is_sealed() || size == 0 || size > buf.last - at) return false;
    at += size;
    visit(b, i);
  }
  const block_info sentinel = info(block_at(buf.last));
  return sentinel.is_sealed() && sentinel.size() == 0 && sentinel.is_live();
}

template <class Frame>
template <class Visit>
bool engine<Frame>::for_each_block(Visit&& visit) const {
  for (const buffer& buf : buffers_) {
    const bool is_whole = walk(buf, [&](block* b, block_info i) {
      if (i.size() >= block_min) visit(b->payload(), i);
    });
    if (!is_whole) return false;
  }
  return true;
}

template <class Frame>
bool engine<Frame>::rebuild() {
  for (const buffer& buf : buffers_)
    if (!walk(buf, [](block*, block_info) {})) return false;
  this->clear();
  for (link_word& head : quick_) head = 0;
  deferred_room_ = highest_room_ = deferred_limit_ = 0;
  taken_ = blocks_ = next_victim_ = 0;
  for (const buffer& buf : buffers_) rebuild_buffer(buf);
  if (is_started()) make_current(buffers_[0]);
  peak_ = larger_of(peak_, taken_);
  return true;
}

/// Joins adjoining free blocks, and sets each block's flag that says whether a free block precedes
/// it.
template <class Frame>
void engine<Frame>::rebuild_buffer(const buffer& buf) {
  block* free_run = nullptr;
  std::size_t run_bytes = 0;
  const auto end_run = [&] {
    if (free_run == nullptr) return;
    this->write(free_run, run_bytes | is_free);
    put_free(free_run, run_bytes, false);
    ++blocks_;
    free_run = nullptr;
  };
  for (link at = buf.first; at != buf.last;) {
    block* const b = block_at(at);
    const block_info i = info(b);
    const std::size_t size = i.size();
    at += size;
    if (i.is_live()) {
      this->write(b, size | (free_run != nullptr ? std::uint64_t{after_free} : 0));
      end_run();
      taken_ += size < block_min ? 0 : size;
      ++blocks_;
    } else if (free_run == nullptr) {
      free_run = b;
      run_bytes = size;
    } else {
      run_bytes += size;
      this->write(free_run, run_bytes | is_free);
      this->erase(b);
    }
  }
  this->write(block_at(buf.last), free_run != nullptr ? std::uint64_t{after_free} : 0);
  end_run();
}

}  // namespace heapsmith::regions
