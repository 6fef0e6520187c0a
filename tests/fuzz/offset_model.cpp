// The rules of a correct offset region.
#include "offset_model.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model.hpp"

namespace heapsmith::fuzz {
namespace {

bool is_same(const hs_offset_block& a, const hs_offset_block& b) {
  return a.offset == b.offset && a.node == b.node && a.generation == b.generation;
}

}  // namespace

template <class Visit>
void offset_model::for_each_gap(Visit visit) const {
  std::uint64_t from = 0;
  for (const auto& [offset, end] : ends_) {
    if (offset != from) visit(from, offset - from);
    from = end;
  }
  if (from != size_) visit(from, size_ - from);
}

void offset_model::start(std::uint64_t size, std::uint64_t granularity) {
  granularity_ = granularity;
  size_ = rounded_down(size);
  forget_blocks();
}

std::uint64_t offset_model::rounded(std::uint64_t asked) const {
  if (asked > size_) return UINT64_MAX;
  return std::max((asked + granularity_ - 1) / granularity_, std::uint64_t{1}) * granularity_;
}

void offset_model::add(hs_offset_block b, std::uint64_t asked, std::uint64_t align) {
  const std::uint64_t bytes = rounded(asked), end = b.offset + bytes;
  HS_MUST(b.node != 0 && b.generation != 0);
  HS_MUST(b.offset % std::max(align, granularity_) == 0);
  HS_MUST(bytes <= size_ && end <= size_);
  const auto next = ends_.lower_bound(b.offset);
  HS_MUST(next == ends_.end() || end <= next->first);
  HS_MUST(next == ends_.begin() || std::prev(next)->second <= b.offset);
  HS_MUST(hs_offset_region_owns(region_, b) == 1);
  HS_MUST(hs_offset_region_size_of(region_, b) == bytes);
  ends_.emplace_hint(next, b.offset, end);
  blocks_.push_back({b, bytes, asked});
}

offset_live offset_model::remove(std::size_t index) {
  std::swap(blocks_[index], blocks_.back());
  const offset_live b = blocks_.back();
  blocks_.pop_back();
  ends_.erase(b.handle.offset);
  return b;
}

std::uint64_t offset_model::smallest_gap(std::uint64_t bytes, std::uint64_t align) const {
  std::uint64_t best = 0;
  for_each_gap([&](std::uint64_t offset, std::uint64_t gap) {
    const std::uint64_t skip = -offset & (align - 1);
    if (skip <= gap && bytes <= gap - skip && (best == 0 || gap < best)) best = gap;
  });
  return best;
}

std::uint64_t offset_model::gap_around(std::uint64_t offset) const {
  std::uint64_t around = 0;
  for_each_gap([&](std::uint64_t begin, std::uint64_t gap) {
    if (begin <= offset && offset - begin < gap) around = gap;
  });
  return around;
}

std::uint64_t offset_model::room_behind(const offset_live& b) const {
  const auto next = ends_.upper_bound(b.handle.offset);
  return (next == ends_.end() ? size_ : next->first) - b.handle.offset - b.bytes;
}

hs_offset_region_statistics offset_model::stats() const {
  hs_offset_region_statistics s;
  s.size = sizeof s;
  HS_MUST(hs_offset_region_stats(region_, &s) == 0);
  return s;
}

void offset_model::check() const {
  if (const int broken = hs_offset_region_check(region_))
    wrong(hs_offset_region_invariant(broken), __LINE__);
  std::map<std::uint64_t, hs_offset_region_view> seen;
  hs_offset_region_for_each_block(
      region_,
      [](void* context, const hs_offset_region_view* v) {
        static_cast<decltype(seen)*>(context)->emplace(v->block.offset, *v);
      },
      &seen);
  std::uint64_t from = 0;
  for (const auto& [offset, view] : seen) {
    HS_MUST(offset == from);
    from += view.bytes;
  }
  HS_MUST(from == size_);
  for (const offset_live& b : blocks_) {
    const auto at = seen.find(b.handle.offset);
    HS_MUST(at != seen.end() && at->second.in_use == 1 && at->second.bytes == b.bytes);
    HS_MUST(is_same(at->second.block, b.handle));
  }
  for_each_gap([&](std::uint64_t offset, std::uint64_t gap) {
    const auto at = seen.find(offset);
    HS_MUST(at != seen.end() && at->second.in_use == 0 && at->second.bytes == gap);
  });
  check_stats();
}

void offset_model::check_stats() const {
  std::uint64_t in_use = 0, asked = 0, largest = 0, gaps = 0;
  for (const offset_live& b : blocks_) in_use += b.bytes, asked += b.asked;
  for_each_gap([&](std::uint64_t, std::uint64_t gap) { largest = std::max(largest, gap), ++gaps; });
  const hs_offset_region_statistics s = stats();
  HS_MUST(s.blocks == blocks_.size() && s.free_blocks == gaps);
  HS_MUST(s.total_bytes == size_ && s.in_use_bytes == in_use);
  HS_MUST(s.available_bytes == size_ - in_use && s.largest_free_bytes == largest);
  HS_MUST(s.waste_bytes == in_use - asked && s.peak_bytes >= in_use);
  HS_MUST(s.nodes_in_use == blocks_.size() + gaps + 1 && s.nodes_in_use <= s.nodes);
}

}  // namespace heapsmith::fuzz
