// Members of engine: blocks that become shorter or longer.
#pragma once

#include "region/release.hpp"

namespace heapsmith::regions {

template <class Frame>
bool engine<Frame>::try_resize(void* p, std::size_t bytes) {
  return resize_block(live_block(Frame::calls.try_expand, p), bytes);
}

template <class Frame>
std::size_t engine<Frame>::usable_size(const char* call, const void* p) const {
  const std::size_t usable = usable_bytes(info(live_block(call, p)).size());
  watch::opened(this, p, usable);  // from now on the caller may use all of it
  return usable;
}

/// Resizes in place if possible; else moves the block; else moves it down into the free block in
/// front of it. The last way copies as much as the second, and leaves a worse remainder.
template <class Frame>
void* engine<Frame>::reallocate(void* p, std::size_t align, std::size_t bytes) {
  block* const b = live_block(Frame::calls.realloc, p);
  const bool is_aligned = this->link_to(p) % align == 0;
  if (is_aligned && resize_block(b, bytes)) return p;
  void* const to = align <= granule ? allocate_block(bytes) : allocate_block_aligned(align, bytes);
  if (to != nullptr) return move_to(to, b, bytes);
  if (is_aligned && resize_block(b, bytes)) return p;  // now that no block is deferred
  void* const down = move_down(b, align, bytes);
  return down != nullptr ? down : out_of_memory();
}

template <class Frame>
void* engine<Frame>::move_to(void* to, block* b, std::size_t bytes) {
  const std::size_t usable = usable_bytes(this->size_of(b));
  watch::opened(this, b->payload(), usable);
  memcpy(to, b->payload(), bytes < usable ? bytes : usable);
  deallocate(b->payload());
  return to;
}

template <class Frame>
bool engine<Frame>::resize_block(block* b, std::size_t bytes) {
  const block_info i = info(b);
  const std::size_t size = block_size(bytes);
  if (size <= i.size()) {
    shrink(b, i, size);
  } else {
    join_deferred_behind(b, i.size(), size);
    if (!grow(b, i, size)) return false;
  }
  const std::size_t touched = larger_of(i.size(), this->size_of(b));
  watch::resized(this, b->payload(), bytes, usable_bytes(touched));
  return true;
}

/// Frees the end of a block. It joins the free block behind, or becomes a block if it is large
/// enough for one.
template <class Frame>
void engine<Frame>::shrink(block* b, block_info i, std::size_t size) {
  std::size_t rest = i.size() - size;
  block* const n = b->behind(i.size());
  const block_info behind = info(n);
  if (rest < (behind.has(is_free) ? granule : block_min)) return;
  change_taken(0, rest);
  const bool designated = behind.has(is_free) && unlink_free(n, behind.size());
  rest += behind.has(is_free) ? behind.size() : 0;
  block* const r = b->behind(size);
  this->write(r, rest | is_free);
  this->write(b, size | (i.bits & after_free));
  if (behind.has(is_free)) {
    this->erase(n);
  } else {
    this->add_flag(n, after_free);
    ++blocks_;
  }
  put_free(r, rest, designated);
}

/// Takes what is missing from the free block behind. Returns: false if that is too small.
template <class Frame>
bool engine<Frame>::grow(block* b, block_info i, std::size_t size) {
  block* const n = b->behind(i.size());
  const block_info behind = info(n);
  const std::size_t total = i.size() + behind.size();
  if (!behind.has(is_free) || total < size) return false;
  const bool designated = unlink_free(n, behind.size());
  const std::uint64_t flag = i.bits & after_free;
  const std::size_t rest = total - size;
  if (rest < block_min) {
    this->write(b, total | flag);
    this->erase(n);
    this->drop_flag(b->behind(total), after_free);
    --blocks_;
    change_taken(behind.size(), 0);
    return true;
  }
  block* const r = b->behind(size);
  this->write(r, rest | is_free);
  this->write(b, size | flag);
  this->erase(n);
  put_free(r, rest, designated);
  change_taken(size - i.size(), 0);
  return true;
}

/// Joins deferred blocks behind a block, one by one, until the free block there makes it possible
/// to grow to `size` bytes, or a block in use follows.
template <class Frame>
void engine<Frame>::join_deferred_behind(block* b, std::size_t have, std::size_t size) {
  for (;;) {
    block* n = b->behind(have);
    block_info i = info(n);
    if (i.has(is_free)) {
      if (have + i.size() >= size) return;
      n = n->behind(i.size());
      i = info(n);
    }
    if (!i.has(is_deferred)) return;
    unlink_deferred(n, i.size());
    release(n, i);
  }
}

/// Moves a block down into the free block in front of it; its old and new memory may overlap.
template <class Frame>
void* engine<Frame>::move_down(block* b, std::size_t align, std::size_t bytes) {
  const block_info i = info(b);
  const std::size_t size = block_size(bytes);
  if (!i.has(after_free)) return nullptr;
  block* const start = free_in_front(b);
  const std::size_t in_front = this->size_of(start);
  block* const n = b->behind(i.size());
  const block_info behind = info(n);
  const std::size_t more = behind.has(is_free) ? behind.size() : 0;
  const std::size_t total = in_front + i.size() + more;
  if (total < size || this->link_to(start->payload()) % align != 0) return nullptr;

  unlink_free(start, in_front);
  if (more != 0) unlink_free(n, more);
  change_taken(total - i.size(), 0);
  watch::moved(this, b->payload(), start->payload(), usable_bytes(total));
  this->write(start, total);
  this->erase(b);
  if (more != 0) {
    this->erase(n);
    this->drop_flag(n->behind(more), after_free);
    --blocks_;
  }
  --blocks_;
  os::copy_down(start->payload(), b->payload(), usable_bytes(i.size()));
  shrink(start, info(start), size);
  watch::resized(this, start->payload(), bytes, usable_bytes(total));
  return start->payload();
}

}  // namespace heapsmith::regions
