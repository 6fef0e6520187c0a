// Offset regions: finding a free block, cutting it to size, and merging it with its neighbours.
#include "region/offset_engine.hpp"

#include "base/extremes.hpp"
#include "heapsmith/detail/check.hpp"

namespace heapsmith::offsets {

/// Regions begin with generations far apart, so that blocks of one are foreign to all others.
std::uint32_t engine::first_generation() {
  static std::uint32_t regions = 0;
#if __STDC_HOSTED__
  // relaxed: only the number matters.
  return __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED) * 0x9e3779b9;
#else
  return ++regions * 0x9e3779b9;  // small processors have no such instruction, and one thread
#endif
}

void engine::init(std::uint64_t units, unsigned unit_shift, void* table, std::size_t table_bytes) {
  unit_shift_ = unit_shift;
  if (last_generation_ == 0) last_generation_ = first_generation();
  nodes_.add(table, table_bytes);
  add_whole(units);
}

void engine::reset() {
  const std::uint64_t units = total();
  nodes_.clear();
  bins_.clear();
  stats_ = {.failed = stats_.failed};
  add_whole(units);
}

void engine::add_whole(std::uint64_t units) {
  const node_number first_end = nodes_.take(), all = nodes_.take();
  HS_ASSERT(first_end == end);
  nodes_[first_end] = {.offset = units, .before = all, .after = all, .generation = 1};
  nodes_[all] = {.offset = 0, .before = end, .after = end};
  link_free(all);
}

bool engine::grow(std::uint64_t units) {
  const node_number last = nodes_[end].before;
  const std::uint64_t old = total();
  if (units == old) return true;
  if (is_free(last)) {
    unlink_free(last);
    nodes_[end].offset = units;
    link_free(last);
    return true;
  }
  if (nodes_.left() == 0) return false;
  nodes_[end].offset = units;
  link_free(insert_after(last, old));
  return true;
}

std::uint64_t engine::units_for(std::uint64_t bytes) const {
  if (bytes == 0) return 1;
  return ((bytes - 1) >> unit_shift_) + 1;
}

bool engine::holds(node_number i, std::uint64_t units, std::uint64_t align) const {
  const std::uint64_t has = units_of(i), gap = gap_before(i, align);
  return gap <= has && has - gap >= units;
}

/// The smallest block that holds the request among the first `looks` of a bin, or 0. `looks` learns
/// how many are left.
node_number engine::smallest_in(std::size_t bin, std::uint64_t units, std::uint64_t align,
                                unsigned& looks) const {
  node_number best = 0;
  std::uint64_t best_units = ~std::uint64_t{0};
  for (node_number i = bins_.first(bin); i != 0 && looks != 0; i = nodes_[i].list_after, --looks) {
    if (units_of(i) >= best_units || !holds(i, units, align)) continue;
    best = i;
    best_units = units_of(i);
    if (bins::is_exact(bin)) break;  // all are equally large
  }
  return best;
}

/// Looks at a few blocks in the bins that may have the best one, then takes one that surely holds
/// the request.
node_number engine::find(std::uint64_t units, std::uint64_t align) const {
  std::size_t bin = bins_.next(bin_of(units));
  for (unsigned look = 0; look < bins_looked_at && bin != bin_lists::none; ++look) {
    unsigned looks = blocks_looked_at;
    if (const node_number i = smallest_in(bin, units, align, looks); i != 0) return i;
    bin = bins_.next(bin + 1);
  }
  if (align - 1 <= total()) {
    bin = bins_.next(bin_above(units + (align - 1)));
    if (bin != bin_lists::none && holds(bins_.first(bin), units, align)) return bins_.first(bin);
  }
  return find_slow(units, align);
}

/// Looks at more free blocks that may hold the request: before a failure, or if only blocks at
/// certain positions do. A million blocks that are a little too small must not make a failure slow.
node_number engine::find_slow(std::uint64_t units, std::uint64_t align) const {
  unsigned left = most_looked_at;
  for (std::size_t bin = bins_.next(bin_of(units)); bin != bin_lists::none && left != 0;
       bin = bins_.next(bin + 1))
    if (const node_number i = smallest_in(bin, units, align, left); i != 0) return i;
  return 0;
}

allocation engine::allocate(std::uint64_t bytes, std::uint64_t align) {
  const std::uint64_t units = units_for(bytes);
  const node_number found = units > total() ? 0 : find(units, align);
  if (found == 0) return ++stats_.failed, allocation{0, outcome::no_space};
  const std::uint64_t gap = gap_before(found, align), rest = units_of(found) - gap - units;
  if (const std::uint64_t needs = (gap != 0) + (rest != 0); nodes_.left() < needs)
    return ++stats_.failed, allocation{0, outcome::no_node};
  unlink_free(found);
  node_number block = found;
  if (gap != 0) {
    block = insert_after(found, nodes_[found].offset + gap);
    link_free(found);
  }
  if (rest != 0) link_free(insert_after(block, nodes_[block].offset + units));
  make_live(block, bytes);
  return {block, outcome::done};
}

void engine::make_live(node_number i, std::uint64_t bytes) {
  if (++last_generation_ == 0) last_generation_ = 1;
  nodes_[i].generation = last_generation_;
  nodes_[i].waste = static_cast<std::uint32_t>((units_of(i) << unit_shift_) - bytes);
  ++stats_.blocks;
  stats_.waste_bytes += nodes_[i].waste;
  stats_.in_use += units_of(i);
  stats_.peak = larger_of(stats_.peak, stats_.in_use);
}

void engine::deallocate(node_number i) {
  --stats_.blocks;
  stats_.waste_bytes -= nodes_[i].waste;
  stats_.in_use -= units_of(i);
  nodes_[i].generation = 0;
  if (const node_number after = nodes_[i].after; is_free(after)) {
    unlink_free(after);
    remove(after);
  }
  if (const node_number before = nodes_[i].before; is_free(before)) {
    unlink_free(before);
    remove(i);
    i = before;
  }
  link_free(i);
}

outcome engine::try_expand(node_number i, std::uint64_t bytes) {
  const std::uint64_t has = units_of(i), wants = units_for(bytes);
  if (wants < has && !shrink_by(i, has - wants)) return outcome::no_node;
  if (wants > has && !grow_by(i, wants - has)) return outcome::no_space;
  stats_.in_use += wants - has;  // modulo 2^64, so this also subtracts
  stats_.peak = larger_of(stats_.peak, stats_.in_use);
  stats_.waste_bytes -= nodes_[i].waste;
  nodes_[i].waste = static_cast<std::uint32_t>((wants << unit_shift_) - bytes);
  stats_.waste_bytes += nodes_[i].waste;
  return outcome::done;
}

bool engine::shrink_by(node_number i, std::uint64_t units) {
  const node_number after = nodes_[i].after;
  if (is_free(after)) {
    unlink_free(after);
    nodes_[after].offset -= units;
    link_free(after);
    return true;
  }
  if (nodes_.left() == 0) return false;
  link_free(insert_after(i, nodes_[after].offset - units));
  return true;
}

bool engine::grow_by(node_number i, std::uint64_t units) {
  const node_number after = nodes_[i].after;
  if (!is_free(after) || units_of(after) < units) return false;
  const bool all = units_of(after) == units;
  unlink_free(after);
  if (all) {
    remove(after);
  } else {
    nodes_[after].offset += units;
    link_free(after);
  }
  return true;
}

std::uint64_t engine::largest_free() const {
  std::uint64_t largest = 0;
  if (bins_.last() == bin_lists::none) return 0;
  for (node_number i = bins_.first(bins_.last()); i != 0; i = nodes_[i].list_after)
    largest = larger_of(largest, units_of(i));
  return largest;
}

/// Inserts a node behind `before`, which takes the units of that from `offset` on.
node_number engine::insert_after(node_number before, std::uint64_t offset) {
  const node_number i = nodes_.take(), after = nodes_[before].after;
  nodes_[i] = {.offset = offset, .before = before, .after = after};
  nodes_[before].after = i;
  nodes_[after].before = i;
  return i;
}

/// Removes a node, and leaves its units to the one before it.
void engine::remove(node_number i) {
  const node_number before = nodes_[i].before, after = nodes_[i].after;
  nodes_[before].after = after;
  nodes_[after].before = before;
  nodes_.give(i);
}

void engine::link_free(node_number i) {
  bins_.link(nodes_, i, units_of(i));
  ++stats_.free_blocks;
}

void engine::unlink_free(node_number i) {
  bins_.unlink(nodes_, i, units_of(i));
  --stats_.free_blocks;
}

}  // namespace heapsmith::offsets
