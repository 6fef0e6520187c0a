// Members of engine: the check that compares every block with every list.
#pragma once

#include "region/memory.hpp"

namespace heapsmith::regions {

/// One run of the check. It follows links only into buffers, and no more of them than there are
/// blocks, however damaged they are.
template <class Frame>
class checker {
 public:
  explicit checker(const engine<Frame>& e) : e_(e) {}

  invariant run() {
    buffers();
    for (const buffer& buf : e_.buffers_)
      if (broken_ == invariant::none) headers(buf);
    if (broken_ == invariant::none) free_blocks();
    if (broken_ == invariant::none) quick_lists();
    if (broken_ == invariant::none) counters();
    return broken_;
  }

 private:
  using large = large_block;
  using bins = typename Frame::bins;

  void expect(bool holds, invariant what) {
    if (!holds && broken_ == invariant::none) broken_ = what;
  }

  void buffers() {
    bool has_current = !e_.is_started();
    for (std::size_t i = 0; i < e_.buffers_.count(); ++i) {
      const buffer& buf = e_.buffers_[i];
      expect(i == 0 || e_.buffers_[i - 1].end < buf.begin, invariant::buffers_are_apart);
      expect(buf.begin <= buf.first && buf.first < buf.last && buf.last + header_bytes <= buf.end,
             invariant::buffers_are_apart);
      has_current |= e_.low_ == buf.payload() && e_.span_ == buf.block_bytes() / granule;
    }
    expect(has_current, invariant::buffers_are_apart);
  }

  void headers(const buffer& buf) {
    bool was_free = false;
    const bool is_whole = e_.walk(buf, [&](block* b, block_info i) {
      expect(i.has(after_free) == was_free, invariant::neighbours_know_the_free);
      was_free = i.has(is_free);
      ++blocks_;
      if (was_free) {
        expect(b->behind(i.size())->size_in_front() == i.size(), invariant::sizes_are_repeated);
        expect(!i.has(after_free), invariant::free_neighbours_are_merged);
        ++free_;
      } else {
        taken_ += i.size() < block_min ? 0 : i.size();
        if (i.has(is_deferred)) ++deferred_, deferred_bytes_ += i.size();
      }
    });
    expect(is_whole, invariant::headers_are_sealed);
    if (is_whole)
      expect(e_.info(e_.block_at(buf.last)).has(after_free) == was_free,
             invariant::neighbours_know_the_free);
  }

  /// Whether a link leads to a sealed header; only such links are followed.
  bool leads_to_block(link header) {
    const buffer* const buf = e_.buffers_.find(header + header_bytes);
    return buf != nullptr && (header + header_bytes) % granule == 0 &&
           e_.info(e_.block_at(header)).is_sealed();
  }

  /// Whether a link of the index leads to a free block whose size belongs in the bin.
  bool belongs(link l, std::size_t bin) {
    if (!leads_to_block(l)) return false;
    const block_info i = e_.info(e_.block_at(l));
    return i.has(is_free) && bins::bin_of(i.size()) == bin;
  }

  void free_blocks() {
    for (std::size_t bin = 0; bin < bins::exact_bins && broken_ == invariant::none; ++bin) {
      const link head = e_.heads_[bin];
      expect((head != 0) == e_.used_.test(bin), invariant::bins_hold_their_sizes);
      list(head, bin);
    }
    for (std::size_t i = 0; i < e_.tree_count && broken_ == invariant::none; ++i) {
      const link root = e_.roots_[i];
      expect((root != 0) == e_.planted_.test(i), invariant::bins_hold_their_sizes);
      if (root != 0) tree(root, root, bins::exact_bins + i, e_.floor_of(i), e_.width_shift(i));
    }
    if (e_.designated_ != 0) {
      const bool is_free_block =
          leads_to_block(e_.designated_) && e_.info(e_.block_at(e_.designated_)).has(is_free);
      expect(is_free_block, invariant::free_blocks_are_listed);
      ++listed_;
    }
    expect(listed_ == free_, invariant::free_blocks_are_listed);
  }

  void list(link head, std::size_t bin) {
    link previous = 0;
    for (link l = head; l != 0 && broken_ == invariant::none;) {
      expect(belongs(l, bin), invariant::bins_hold_their_sizes);
      if (broken_ != invariant::none) return;
      const block* const b = e_.block_at(l);
      expect(detail::probe::load(b->previous) == previous, invariant::links_lead_back);
      expect(++listed_ <= free_, invariant::free_blocks_are_listed);
      previous = l;
      l = detail::probe::load(b->next);
    }
  }

  /// Checks the subtree `l`, whose sizes must be from `floor` to below floor + 2^shift. The
  /// recursion is as deep as the tree: at most as many levels as a size has bits.
  void tree(link l, link parent, std::size_t bin, std::size_t floor, unsigned shift) {
    expect(belongs(l, bin), invariant::bins_hold_their_sizes);
    if (broken_ != invariant::none) return;
    const auto* const b = static_cast<const large*>(e_.block_at(l));
    const std::size_t size = e_.info(b).size();
    expect(detail::probe::load(b->parent) == parent, invariant::links_lead_back);
    expect(size >= floor && (size - floor) >> shift == 0, invariant::trees_are_sorted);
    ring(l, size);
    for (const unsigned side : {0U, 1U}) {
      const link child = detail::probe::load(b->child[side]);
      if (child == 0 || broken_ != invariant::none) continue;
      expect(shift > region_bins::granule_shift, invariant::trees_are_sorted);
      if (broken_ == invariant::none)
        tree(child, l, bin, floor + (std::size_t{side} << (shift - 1)), shift - 1);
    }
  }

  void ring(link head, std::size_t size) {
    link l = head;
    do {
      const auto* const b = static_cast<const large*>(e_.block_at(l));
      const link next = detail::probe::load(b->next);
      expect(++listed_ <= free_, invariant::free_blocks_are_listed);
      expect(leads_to_block(next), invariant::links_lead_back);
      if (broken_ != invariant::none) return;
      const auto* const n = static_cast<const large*>(e_.block_at(next));
      expect(detail::probe::load(n->previous) == l, invariant::links_lead_back);
      expect(e_.info(n).has(is_free) && e_.info(n).size() == size,
             invariant::bins_hold_their_sizes);
      expect(next == head || detail::probe::load(n->parent) == 0, invariant::links_lead_back);
      l = next;
    } while (l != head && broken_ == invariant::none);
  }

  void quick_lists() {
    std::size_t listed = 0;
    for (std::size_t i = 0; i <= bins::quick_max / granule; ++i)
      for (link l = e_.quick_[i], previous = 0; l != 0 && broken_ == invariant::none;) {
        const bool leads = leads_to_block(l - header_bytes);
        const block_info found = leads ? e_.info(e_.block_at(l - header_bytes)) : block_info{0};
        expect(found.has(is_deferred) && found.size() == i * granule && ++listed <= deferred_,
               invariant::deferred_blocks_are_listed);
        if (broken_ != invariant::none) return;
        const block* const b = e_.block_at(l - header_bytes);
        expect(previous == 0 || detail::probe::load(b->previous) == previous,
               invariant::links_lead_back);
        previous = l;
        l = detail::probe::load(b->next);
      }
    expect(listed == deferred_, invariant::deferred_blocks_are_listed);
  }

  void counters() {
    expect(blocks_ == e_.blocks_ && taken_ == e_.taken_, invariant::counters_agree);
    expect(deferred_bytes_ == e_.deferred_bytes(), invariant::counters_agree);
    expect(e_.highest_in_use() >= taken_ - deferred_bytes_, invariant::counters_agree);
  }

  const engine<Frame>& e_;
  invariant broken_ = invariant::none;
  std::size_t blocks_ = 0, free_ = 0, deferred_ = 0, listed_ = 0;
  std::size_t taken_ = 0, deferred_bytes_ = 0;
};

template <class Frame>
invariant engine<Frame>::check() const {
  return checker<Frame>(*this).run();
}

}  // namespace heapsmith::regions
