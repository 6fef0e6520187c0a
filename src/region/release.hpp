// Members of engine: blocks that are freed.
#pragma once

#include "os/misuse.hpp"
#include "region/fit.hpp"

namespace heapsmith::regions {

/// Returns: the block at `p`. Aborts unless a block that is in use starts there.
template <class Frame>
block* engine<Frame>::live_block(const char* call, const void* p) const {
  const link l = this->link_to(p);
  const buffer* const buf = buffers_.find(l);
  if (buf == nullptr) os::abort_misuse(call, p, foreign_pointer);
  if (l % granule != 0) os::abort_misuse(call, p, no_block_here);
  block* const b = block_of(const_cast<void*>(p));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const block_info i = info(b);
  if (!i.is_sealed() || i.size() < block_min || i.size() > buf->last + header_bytes - l)
    os::abort_misuse(call, p, no_block_here);
  if (!i.is_live()) os::abort_misuse(call, p, freed_twice);
  return b;
}

template <class Frame>
void engine<Frame>::make_current(const buffer& buf) {
  low_ = buf.payload();
  span_ = buf.block_bytes() / granule;
}

/// For null, blocks of other buffers than the current one, and foreign pointers.
template <class Frame>
void engine<Frame>::deallocate_elsewhere(void* p) {
  if (p == nullptr) return;
  block* const b = live_block(Frame::calls.free, p);
  make_current(*buffers_.find(this->link_to(p)));
  deallocate_slow(b);
}

/// For blocks that are too large to be deferred or find no room for that, and for bad pointers.
template <class Frame>
void engine<Frame>::deallocate_slow(block* b) {
  const block_info i = info(b);
  if (!i.is_sealed() || !i.is_live()) [[unlikely]]
    live_block(Frame::calls.free, b->payload());  // aborts with the reason
  const std::size_t size = i.size();
  if (size <= quick_max) {
    if (deferred_room_ < granules(size)) adapt_deferred_limit();
    if (deferred_room_ >= granules(size))
      return defer(b, size / granule, detail::probe::load(b->header));
    release_surplus(1);
  }
  watch::freed(this, b->payload(), usable_bytes(size));
  release(b, info(b));
}

template <class Frame>
void engine<Frame>::set_deferred_limit(std::ptrdiff_t limit) {
  const std::ptrdiff_t more = limit - deferred_limit_;
  deferred_limit_ = limit;
  deferred_room_ += more;
  highest_room_ += more;
}

/// The limit follows the size of the largest free block.
template <class Frame>
void engine<Frame>::adapt_deferred_limit() {
  const std::ptrdiff_t plenty = granules(this->largest_bytes() / 2);
  const std::ptrdiff_t most = granules(deferred_max) - deferred_forgone_;
  set_deferred_limit(smaller_of(most, larger_of(granules(deferred_min), plenty)));
}

template <class Frame>
void engine<Frame>::limit_deferred(std::size_t bytes) {
  deferred_forgone_ = granules(deferred_max) - granules(smaller_of(deferred_max, bytes));
  adapt_deferred_limit();
  while (deferred_room_ < 0) release_one_deferred();
}

/// The free block in front of `b`, which is marked as after it. Aborts if the size at its end leads
/// to no such block: somebody wrote to it after freeing it.
template <class Frame>
block* engine<Frame>::free_in_front(block* b) {
  const std::size_t size = b->size_in_front();
  const link l = this->link_to(b->payload());
  if (size % granule == 0 && size < l && buffers_.find(l - size) != nullptr) {
    block* const start = b->before(size);
    if (info(start).bits == (size | is_free)) return start;
  }
  os::abort_misuse(Frame::calls.free, b->payload(), overwritten_in_front);
}

/// Joins a block that was in use with its free neighbours, by one store.
/// Returns: the size of the joined block.
template <class Frame>
std::size_t engine<Frame>::release(block* b, block_info i) {
  std::size_t size = i.size();
  change_taken(0, size);
  block* start = b;
  block* const n = b->behind(size);
  const block_info behind = info(n);
  if (!behind.is_sealed()) os::abort_misuse(Frame::calls.free, b->payload(), overwritten);
  bool designated = false;
  if (behind.has(is_free)) {
    designated = unlink_free(n, behind.size());
    size += behind.size();
  }
  if (i.has(after_free)) {
    start = free_in_front(b);
    const std::size_t in_front = this->size_of(start);
    designated |= unlink_free(start, in_front);
    size += in_front;
  }
  this->write(start, size | is_free);
  if (start != b) {
    this->erase(b);
    --blocks_;
  }
  if (behind.has(is_free)) {
    this->erase(n);
    --blocks_;
  } else {
    this->add_flag(n, after_free);
  }
  put_free(start, size, designated);
  return size;
}

/// Joins the first block of a quick list with its neighbours. Returns: the size of what it is now.
template <class Frame>
std::size_t engine<Frame>::release_first_of(std::size_t i) {
  block* const b = block_of(this->address_of(quick_[i]));
  quick_[i] = detail::probe::load(b->next);
  change_taken(0, 0);
  deferred_room_ += static_cast<std::ptrdiff_t>(i);
  return release(b, info(b));
}

/// Once the room is used up, every slow call joins a few deferred blocks, so that only a call that
/// would otherwise fail joins many.
template <class Frame>
void engine<Frame>::release_surplus(int most) {
  for (; most > 0 && deferred_bytes() != 0; --most) release_one_deferred();
}

/// Takes all blocks of one list before the next one. Requires: a block is deferred.
template <class Frame>
void engine<Frame>::release_one_deferred() {
  while (quick_[next_victim_] == 0) next_victim_ = (next_victim_ + 1) % (quick_max / granule + 1);
  release_first_of(next_victim_);
}

/// Joins deferred blocks with their neighbours, the largest first, until a joined block has
/// `enough` bytes or none is left.
/// Returns: whether one has.
template <class Frame>
bool engine<Frame>::flush(std::size_t enough) {
  for (std::size_t i = quick_max / granule; deferred_bytes() != 0; --i)
    while (quick_[i] != 0)
      if (release_first_of(i) >= enough) return true;
  return false;
}

/// The deferred block at the end of a link of `b`, which leads back to `b` by `back`. Aborts if it
/// does not: somebody wrote to a block after freeing it.
template <class Frame>
block* engine<Frame>::deferred_neighbour(block* b, link l, link_word block::* back) {
  if (buffers_.find(l) != nullptr && l % granule == 0) {
    block* const n = block_of(this->address_of(l));
    if (detail::probe::load(n->*back) == this->link_to(b->payload())) return n;
  }
  os::abort_misuse(Frame::calls.realloc, b->payload(), overwritten_after_free);
}

/// Takes a block out of its quick list, wherever it is in it.
template <class Frame>
void engine<Frame>::unlink_deferred(block* b, std::size_t size) {
  link_word& head = quick_[size / granule];
  const link next = detail::probe::load(b->next), previous = detail::probe::load(b->previous);
  if (head == this->link_to(b->payload())) {
    head = next;
  } else {
    block* const after = next == 0 ? nullptr : deferred_neighbour(b, next, &block::previous);
    detail::probe::store(deferred_neighbour(b, previous, &block::next)->next, next);
    if (after != nullptr) detail::probe::store(after->previous, previous);
  }
  change_taken(0, 0);
  deferred_room_ += granules(size);
}

template <class Frame>
std::size_t engine<Frame>::defragment() {
  flush();
  const block* const b = this->largest();
  return b == nullptr ? 0 : usable_bytes(this->size_of(b));
}

}  // namespace heapsmith::regions
