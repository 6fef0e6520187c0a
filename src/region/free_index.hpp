// The free blocks of a region by size: exact bins, and digital trees for large blocks.
#pragma once

#include "region/digital_trees.hpp"

namespace heapsmith::regions {

/**
 * Finds the smallest free block that suffices.
 *
 * An exact bin is a list of blocks of one size, the latest first. Larger blocks are in digital
 * trees.
 *
 * One free block, the *designated* one (Lea's word), is in neither. It is the block whose size
 * changes most often, because requests are carved from it and freed neighbours join it.
 */
template <class Frame>
class free_index : protected digital_trees<Frame> {
 protected:
  using large = digital_trees<Frame>;
  using bins = typename Frame::bins;
  using large::block_at;
  using large::info;
  using large::size_of;

  /// Returns: the smallest free block of at least `size` bytes, or null. It stays in the index.
  [[nodiscard]] block* best_fit(std::size_t size) const;

  /// Takes out a block of exactly this size.
  /// Returns: the block; null if the bin is empty, and for sizes that have no exact bin.
  [[nodiscard]] block* pop_exact(std::size_t size);

  /// Returns: the largest free block, or null.
  [[nodiscard]] block* largest() const;

  /// Returns: the smallest size in the bin of the largest free block. Of blocks in exact bins only
  /// the designated one counts, and that with its size.
  [[nodiscard]] std::size_t largest_bytes() const;

  /// Returns: a block of at least `size` bytes for which `suits` is true, or null.
  /// Complexity: linear in the number of free blocks.
  template <class Suits>
  block* find_fit(std::size_t size, Suits&& suits) const;

  /// Enters a free block, whose header has its size. A large block becomes the designated one.
  void put(block* b, std::size_t size);
  /// Takes a free block out.
  void remove(block* b, std::size_t size);
  /// Makes `b` the designated block; for one that was carved from or has grown.
  void designate(block* b) { designated_ = b == nullptr ? 0 : this->link_to(b); }
  [[nodiscard]] block* designated() const { return block_at(designated_); }

  /// Forgets all blocks.
  void clear();

  template <class>
  friend class checker;

 private:
  using map = bin_map<bins::exact_bins>;

  static link get(const link_word& w) { return detail::probe::load(w); }
  static void set(link_word& w, link l) { detail::probe::store(w, l); }

  [[nodiscard]] static bool is_large(std::size_t size) { return size >= bins::large_min; }
  void insert(block* b, std::size_t size);
  void insert_in_list(block* b, std::size_t bin);
  void remove_from_list(block* b, std::size_t bin);

  map used_;  // bins that are not empty
  link_word heads_[bins::exact_bins] = {};
  link designated_ = 0;
};

template <class Frame>
block* free_index<Frame>::best_fit(std::size_t size) const {
  if (size >= bins::end) return nullptr;
  block* best;
  if (is_large(size)) {
    best = large::best(size);
  } else {
    const std::size_t bin = used_.first_at_or_above(bins::bin_of(size));
    best = bin != map::none ? block_at(heads_[bin]) : large::least();
  }
  // Of two blocks of the same size the designated one is cheaper to use.
  block* const d = designated();
  if (d == nullptr) return best;
  const std::size_t its = size_of(d);
  return its >= size && (best == nullptr || its <= size_of(best)) ? d : best;
}

template <class Frame>
block* free_index<Frame>::pop_exact(std::size_t size) {
  if (is_large(size)) return nullptr;
  const std::size_t bin = bins::bin_of(size);
  block* const b = block_at(heads_[bin]);
  if (b == nullptr) return nullptr;
  const link next = get(b->next);
  heads_[bin] = next;
  if (next != 0)
    set(block_at(next)->previous, 0);
  else
    used_.clear(bin);
  return b;
}

template <class Frame>
block* free_index<Frame>::largest() const {
  block* most = large::most();
  if (const std::size_t bin = used_.last(); most == nullptr && bin != map::none)
    most = block_at(heads_[bin]);
  block* const d = designated();
  return d != nullptr && (most == nullptr || size_of(d) > size_of(most)) ? d : most;
}

template <class Frame>
std::size_t free_index<Frame>::largest_bytes() const {
  const block* const d = designated();
  const std::size_t its = d == nullptr ? 0 : size_of(d), most = large::most_bytes();
  return its > most ? its : most;
}

template <class Frame>
template <class Suits>
block* free_index<Frame>::find_fit(std::size_t size, Suits&& suits) const {
  if (size >= bins::end) return nullptr;
  if (!is_large(size))
    for (std::size_t bin = used_.first_at_or_above(bins::bin_of(size)); bin != map::none;
         bin = used_.first_at_or_above(bin + 1))
      for (block* b = block_at(heads_[bin]); b != nullptr; b = block_at(get(b->next)))
        if (suits(b)) return b;
  const std::size_t from = is_large(size) ? size : bins::large_min;
  if (block* const b = large::find(from, suits); b != nullptr) return b;
  block* const d = designated();
  return d != nullptr && suits(d) ? d : nullptr;
}

template <class Frame>
void free_index<Frame>::put(block* b, std::size_t size) {
  if (!is_large(size)) return insert(b, size);
  block* const before = designated();
  designate(b);
  if (before != nullptr) insert(before, size_of(before));
}

template <class Frame>
void free_index<Frame>::insert(block* b, std::size_t size) {
  if (is_large(size))
    large::insert(b, size);
  else
    insert_in_list(b, bins::bin_of(size));
}

template <class Frame>
void free_index<Frame>::remove(block* b, std::size_t size) {
  if (b == designated()) return designate(nullptr);
  if (is_large(size))
    large::remove(b, size);
  else
    remove_from_list(b, bins::bin_of(size));
}

template <class Frame>
void free_index<Frame>::clear() {
  large::clear();
  used_ = {};
  for (link_word& head : heads_) head = 0;
  designated_ = 0;
}

template <class Frame>
void free_index<Frame>::insert_in_list(block* b, std::size_t bin) {
  const link head = heads_[bin], self = this->link_to(b);
  set(b->next, head);
  set(b->previous, 0);
  if (head != 0)
    set(block_at(head)->previous, self);
  else
    used_.set(bin);
  heads_[bin] = self;
}

template <class Frame>
void free_index<Frame>::remove_from_list(block* b, std::size_t bin) {
  const link next = get(b->next), previous = get(b->previous);
  if (next != 0) set(block_at(next)->previous, previous);
  if (previous != 0) {
    set(block_at(previous)->next, next);
  } else {
    heads_[bin] = next;
    if (next == 0) used_.clear(bin);
  }
}

}  // namespace heapsmith::regions
