// The free tail of a range, unmapped where address space is limited. docs/design/spans.md
#include "os/os.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

constexpr std::size_t least_range_slices = 1 * MiB / slice_bytes;

/// Ends the mapping of slices from `end` on, all of them free. False: the OS refuses.
bool cut_tail_locked(range& r, std::size_t end) {
  const std::size_t n = r.committed() - end;
  if (!os::unmap(reinterpret_cast<char*>(r.base) + end * slice_bytes, n * slice_bytes))
    return false;
  change_words_locked(r, end, n, [](free_word& w, std::uint64_t mask) {
    const auto was_dirty = static_cast<std::size_t>(std::popcount(w.dirty & mask));
    all.dirty -= was_dirty;
    all.numbers.purged_bytes += was_dirty * slice_bytes;
    w.dirty &= ~mask;
    w.clean &= ~mask;
  });
  all.promised = std::min(all.promised, all.dirty);
  // relaxed: no block lies beyond, so no pointer is looked up there.
  r.slices.store(end, relaxed);
  return true;
}

}  // namespace

std::size_t free_tail_locked(const range& r) {
  std::size_t end = r.committed();
  while (end != 0) {
    const std::uint64_t below = any_free(r.words[(end - 1) / 64]) << (63 - (end - 1) % 64);
    const auto ones = static_cast<std::size_t>(std::countl_one(below));
    const std::size_t bits = (end - 1) % 64 + 1;
    end -= std::min(ones, bits);
    if (ones < bits) break;
  }
  return end;
}

void trim_tail_locked(range& r) {
  const std::size_t have = r.committed();
  if (all.in_use > have / 2 || all.promised != 0) return;
  complete_words_locked();
  const std::size_t end = std::max(free_tail_locked(r), least_range_slices);
  if (end < have && have - end > have / 2) cut_tail_locked(r, end);
}

[[gnu::cold]] void forget_tail_locked(const range& r) {
  const std::size_t end = free_tail_locked(r), n = r.committed() - end;
  if (n != 0) os::decommit(r.address_of(r.records + end), n * slice_bytes);
}

bool make_address_space() {
  const os::lock_guard guard(all.lock);
  complete_words_locked();
  bool made = false;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    const std::size_t end = std::max(free_tail_locked(ranges[k]), least_range_slices);
    if (end < ranges[k].committed()) made |= cut_tail_locked(ranges[k], end);
  }
  all.space_is_limited |= made;
  note_who_keeps_locked();
  return made;
}

}  // namespace heapsmith::spans
