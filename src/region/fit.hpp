// Members of engine: finding the free block that fits, and carving a block from it.
#pragma once

#include "region/region_path.hpp"

namespace heapsmith::regions {

template <class Frame>
void* engine<Frame>::refuse(int error) {
  ++failed_;
  os::set_error(error);
  return nullptr;
}

template <class Frame>
void* engine<Frame>::allocate_slow(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const p = allocate_block(bytes);
  if (deferred_room_ < 0) [[unlikely]]
    release_surplus(2);
  return p != nullptr ? p : out_of_memory();
}

template <class Frame>
void* engine<Frame>::allocate_aligned(std::size_t align, std::size_t bytes) {
  if (align <= granule) return allocate(bytes);
  if (bytes == 0) return nullptr;
  void* const p = allocate_block_aligned(align, bytes);
  return p != nullptr ? p : out_of_memory();
}

/// Takes the best fit. If no free block suffices, joins deferred blocks with their neighbours and
/// tries again.
template <class Frame>
void* engine<Frame>::allocate_block(std::size_t bytes) {
  std::size_t size = block_size(bytes);
  if (size <= quick_max && quick_[size / granule] != 0) return reuse(size / granule, bytes);
  block* b = this->pop_exact(size);
  if (b != nullptr) {
    this->write(b, size);
    this->drop_flag(b->behind(size), after_free);
    change_taken(size, 0);
  } else {
    b = this->best_fit(size);
    if (b == nullptr && flush(size)) b = this->best_fit(size);
    if (b == nullptr) return nullptr;
    if (suits_strip(b, size))
      b = carve_strip(b, size);
    else
      size = carve(b, size);
  }
  watch::allocated(this, b->payload(), bytes, usable_bytes(size));
  return b->payload();
}

/// Takes the front of a free block, or all of it if the rest would be too small for a block. The
/// header of the rest is written before the block is shortened, so headers are a chain at all
/// times.
template <class Frame>
std::size_t engine<Frame>::carve(block* b, std::size_t size) {
  repeats_ = size == last_carved_ ? repeats_ + 1 : 0;
  last_carved_ = size;
  const std::size_t have = this->size_of(b), rest = have - size;
  const bool was_designated = unlink_free(b, have);
  if (rest < block_min) {
    this->write(b, have);
    this->drop_flag(b->behind(have), after_free);
    change_taken(have, 0);
    return have;
  }
  block* const r = b->behind(size);
  this->write(r, rest | is_free);
  this->write(b, size);
  ++blocks_;
  put_free(r, rest, was_designated);
  change_taken(size, 0);
  if (was_designated && granules(rest / 2) < deferred_limit_) [[unlikely]]
    adapt_deferred_limit();
  return size;
}

/// Whether to carve a strip: a strip's worth of blocks of this size was carved in succession, the
/// designated block is large enough, and the other blocks may be deferred.
template <class Frame>
bool engine<Frame>::suits_strip(const block* b, std::size_t size) {
  if constexpr (!bins::has_strips) return false;
  if (size != last_carved_ || (repeats_ + 1) % strip_blocks != 0) return false;
  if (size > quick_max || b != this->designated()) return false;
  if (this->size_of(b) < strip_blocks * size + block_min) return false;
  const std::ptrdiff_t room = granules((strip_blocks - 1) * size);
  if (deferred_room_ < room) adapt_deferred_limit();
  return deferred_room_ >= room;
}

/**
 * Carves a strip of blocks from the front of the designated block. Returns: the last of them.
 *
 * The others are deferred, so requests get them from the back to the front. Blocks that are
 * allocated in order then do not lie in order, nor at distances that are powers of two
 * (docs/design/regions.md). As in carve(), the new headers are not part of the
 * chain before the last store, which writes the header of the first block.
 */
template <class Frame>
block* engine<Frame>::carve_strip(block* b, std::size_t size) {
  const std::size_t rest = this->size_of(b) - strip_blocks * size;
  block* const r = b->behind(strip_blocks * size);
  this->write(r, rest | is_free);
  block* const last = r->before(size);
  this->write(last, size);
  link_word* to = &quick_[size / granule];
  const link others = *to;
  link l = 0;
  for (block* at = last; at != b;) {
    at = at->before(size);
    detail::probe::store(at->previous, l);
    detail::probe::store(*to, l = this->link_to(at->payload()));
    to = &at->next;
    this->write(at, size | is_deferred);
  }
  detail::probe::store(*to, others);
  if (others != 0) detail::probe::store(block_of(this->address_of(others))->previous, l);
  blocks_ += strip_blocks;
  put_free(r, rest, true);
  deferred_room_ -= granules((strip_blocks - 1) * size);
  change_taken(strip_blocks * size, 0);
  if (granules(rest / 2) < deferred_limit_) [[unlikely]]
    adapt_deferred_limit();
  return last;
}

/// Returns: whether it was the designated block.
template <class Frame>
bool engine<Frame>::unlink_free(block* b, std::size_t size) {
  const bool was_designated = b == this->designated();
  this->remove(b, size);
  return was_designated;
}

/// Writes the boundary tag of a block whose header is free, and enters the block in the index.
template <class Frame>
void engine<Frame>::put_free(block* b, std::size_t size, bool as_designated) {
  detail::probe::store(b->size_at_end(size), size);
  if (as_designated)
    this->designate(b);
  else
    this->put(b, size);
}

/// The bytes of a free block that stay in front of an aligned payload: 0, or enough for a block.
template <class Frame>
std::size_t engine<Frame>::gap_before(const block* b, std::size_t align) const {
  const link from = this->link_to(b->payload());
  const std::size_t gap = ((from + align - 1) & ~(align - 1)) - from;
  return gap == 0 || gap >= block_min ? gap : gap + align;
}

/// The size with which a free block suffices at any address.
constexpr std::size_t most_bytes_for(std::size_t align, std::size_t size) {
  const std::size_t worst_gap = align + granule;
  return worst_gap < region_bins::size_end ? size + worst_gap : region_bins::size_end;
}

template <class Frame>
bool engine<Frame>::fits(const block* b, std::size_t align, std::size_t size) const {
  const std::size_t have = this->size_of(b), gap = gap_before(b, align);
  return have >= size && have - size >= gap;
}

/// So many free blocks are looked at that may hold an aligned request or not. A program that frees
/// blocks until a request fits repeats the search for each of them.
constexpr unsigned most_looked_at = 256;

/// The best fit if an aligned part of it suffices; else a block that suffices at any address; else
/// one of the next `most_looked_at` that fits.
template <class Frame>
block* engine<Frame>::find_aligned(std::size_t align, std::size_t size) const {
  block* b = this->best_fit(size);
  if (b == nullptr || fits(b, align, size)) return b;
  b = this->best_fit(most_bytes_for(align, size));
  if (b != nullptr) return b;
  unsigned left = most_looked_at;
  b = this->find_fit(size, [&](const block* x) { return fits(x, align, size) || --left == 0; });
  return b != nullptr && fits(b, align, size) ? b : nullptr;
}

template <class Frame>
void* engine<Frame>::allocate_block_aligned(std::size_t align, std::size_t bytes) {
  std::size_t size = block_size(bytes);
  block* b = find_aligned(align, size);
  if (b == nullptr) {
    flush(most_bytes_for(align, size));
    b = find_aligned(align, size);
    if (b == nullptr) return nullptr;
  }
  if (const std::size_t gap = gap_before(b, align); gap != 0)
    b = cut_gap(b, gap, size), size = this->size_of(b);
  else
    size = carve(b, size);
  watch::allocated(this, b->payload(), bytes, usable_bytes(size));
  return b->payload();
}

/// As carve, but leaves a gap free in front of the block. One store makes three blocks of one.
template <class Frame>
block* engine<Frame>::cut_gap(block* b, std::size_t gap, std::size_t size) {
  const std::size_t have = this->size_of(b);
  std::size_t rest = have - gap - size;
  if (rest < block_min) {
    size += rest;
    rest = 0;
  }
  const bool was_designated = unlink_free(b, have);
  block* const a = b->behind(gap);
  block* const r = a->behind(size);
  if (rest != 0) this->write(r, rest | is_free);
  this->write(a, size | after_free);
  this->write(b, gap | is_free);
  ++blocks_;
  if (rest != 0) {
    ++blocks_;
    put_free(r, rest, was_designated);
  } else {
    this->drop_flag(r, after_free);
  }
  put_free(b, gap, false);  // after the rest, because it may become the designated block instead
  change_taken(size, 0);
  return a;
}

/// Called for every change of the bytes that are in use or deferred, except by the fast path.
template <class Frame>
void engine<Frame>::change_taken(std::size_t more, std::size_t less) {
  peak_ = highest_in_use();
  highest_room_ = deferred_room_;
  taken_ += more;
  taken_ -= less;
}

/// Since the last change of taken_, most bytes were in use when the fewest were deferred.
template <class Frame>
std::size_t engine<Frame>::highest_in_use() const {
  const auto fewest = static_cast<std::size_t>(deferred_limit_ - highest_room_);
  return larger_of(peak_, taken_ - fewest * granule);
}

}  // namespace heapsmith::regions
