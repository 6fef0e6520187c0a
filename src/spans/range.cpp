// Reserving ranges and moving their frontier of committed slices.
#include "spans/range.hpp"

#include <algorithm>

#include "base/bit_runs.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/spans.hpp"

namespace heapsmith::spans {

constinit range ranges[max_ranges];
constinit atomic<std::size_t> range_count{0};

namespace {

/// The first range asks for max(64 GiB, 2 × RAM): address space costs nothing until it is touched.
/// Under an address-space limit it takes an eighth of what is left, so that others can map too.
std::size_t wanted_reserve(std::size_t at_least) {
  const std::size_t left = os::address_space_left();
  if (left != SIZE_MAX) return std::max(at_least, left / 8);
  const std::size_t told = settings().reserve_bytes;
  if (told != 0) return std::max(at_least, told);
  return std::max({at_least, 64 * GiB, 2 * os::physical_bytes()});
}

struct layout {
  std::size_t words_bytes, records_bytes, slices_at, total;
};

layout layout_for(std::size_t slices) {
  const std::size_t page = os::page_bytes();
  layout l;
  l.words_bytes = round_up((slices + 63) / 64 * sizeof(free_word), page);
  l.records_bytes = round_up(slices * sizeof(slab), page);
  l.slices_at = round_up(l.words_bytes + l.records_bytes, slice_bytes);
  l.total = l.slices_at + slices * slice_bytes;
  return l;
}

/// Makes [from, to) of the reservation accessible; both ends are rounded outward to OS pages.
bool commit_between(char* mapping, std::size_t from, std::size_t to) {
  const std::size_t page = os::page_bytes();
  const std::size_t begin = round_up(from, page), end = round_up(to, page);
  return begin >= end || os::commit(mapping + begin, end - begin);
}

/// The main range exists before any second thread can ask about a pointer, so its plain fields are
/// never written while they are read.
[[gnu::constructor(101)]] void reserve_main_range() {
  const os::lock_guard guard(the_lock());
  if (range_count.load(relaxed) == 0) add_range_locked(1);
}

}  // namespace

slab* find_anywhere(const void* p) {
  // acquire pairs with the release in add_range_locked(): a counted range is complete.
  const std::size_t n = range_count.load(acquire);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = slice_of(ranges[k], p);
    if (is_slice(ranges[k], i)) return ranges[k].records + i;
  }
  return nullptr;
}

range& range_of(const slab* s) {
  const std::size_t n = range_count.load(acquire);  // as in find_anywhere()
  for (std::size_t k = 1; k < n; ++k)
    if (s >= ranges[k].records && s < ranges[k].records + ranges[k].reserved) return ranges[k];
  return ranges[0];
}

range* add_range_locked(std::size_t slices) {
  const std::size_t k = range_count.load(relaxed);  // only changed under the lock held here
  if (k == max_ranges) return nullptr;
  const std::size_t least = slices * slice_bytes;
  for (std::size_t bytes = wanted_reserve(least); bytes >= least; bytes /= 2) {
    const std::size_t n = bytes >> slice_shift;
    const layout l = layout_for(n);
    char* mapping = static_cast<char*>(os::reserve(l.total, slice_bytes));
    if (mapping == nullptr) continue;
    if (!os::commit(mapping, l.words_bytes)) {
      os::unmap(mapping, l.total);
      return nullptr;
    }
    range& r = ranges[k];
    r.mapping = mapping;
    r.words = reinterpret_cast<free_word*>(mapping);
    r.records = reinterpret_cast<slab*>(mapping + l.words_bytes);
    r.base = reinterpret_cast<std::uintptr_t>(mapping) + l.slices_at;
    r.reserved = n;
    // release pairs with find_anywhere(): the fields above come before the count.
    range_count.store(k + 1, release);
    return &r;
  }
  return nullptr;
}

bool grow_range_locked(range& r, std::size_t slices) {
  const std::size_t have = r.committed();
  if (slices > r.reserved - have) return false;
  // By an eighth, so that the number of system calls stays logarithmic; at least 1 MiB.
  const std::size_t step = std::max({slices, have / 8, std::size_t{1 * MiB / slice_bytes}});
  for (std::size_t n : {std::min(step, r.reserved - have), slices}) {
    const std::size_t now = have + n;
    const auto records_at = static_cast<std::size_t>(reinterpret_cast<char*>(r.records) - r.mapping);
    const auto slices_at = r.base - reinterpret_cast<std::uintptr_t>(r.mapping);
    if (!commit_between(r.mapping, records_at + have * sizeof(slab), records_at + now * sizeof(slab)) ||
        !os::commit(r.mapping + slices_at + have * slice_bytes, n * slice_bytes))
      continue;
    for_each_word(have, n, [&](std::size_t k, std::uint64_t mask) { r.words[k].clean |= mask; });
    r.lowest_free = std::min(r.lowest_free, have);
    // relaxed: who reads a record got its pointer through an allocation made after this.
    r.slices.store(now, relaxed);
    return true;
  }
  return false;
}

bool shed_reserve_locked() {
  if (os::address_space_left() == SIZE_MAX) return false;  // nobody limits it: it is not what lacks
  bool shed = false;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    range& r = ranges[k];
    const std::size_t have = r.committed();
    if (r.reserved == have) continue;
    os::unmap(reinterpret_cast<char*>(r.base) + have * slice_bytes, (r.reserved - have) * slice_bytes);
    r.reserved = have;
    shed = true;
  }
  return shed;
}

}  // namespace heapsmith::spans
