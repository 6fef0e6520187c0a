// Puts memory behind free slices before they are needed.
#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
bool prefault(std::size_t bytes) {
  if (settings().cache_is_fixed.load(relaxed) && settings().cache_bytes < bytes)
    return false;  // it would be purged
  if (const std::size_t most = os::physical_bytes(); most != 0 && bytes > most) return false;
  // Taken and given back: dirty spans are what every engine takes first.
  record* held = nullptr;
  std::size_t left = slices_for(std::max<std::size_t>(bytes, 1));
  while (left != 0) {
    const std::size_t n = std::min(left, clean_map_slices);
    const span sp = take(n, 1, growth::allowed);
    if (!sp) break;
    os::populate(sp.start, n * slice_bytes);
    sp.first->account_next = held;  // held for no account, so the link is unused
    held = sp.first;
    left -= n;
  }
  const os::lock_guard guard(all.lock);
  while (held != nullptr) {
    record* const first = held;
    held = first->account_next;
    first->account_next = nullptr;
    give_locked(range_of(first), first, first->slices);
    if (left == 0) all.promised += first->slices;
  }
  if (left != 0) shed_excess_locked(ranges[0], 1);
  return left == 0;
}

}  // namespace heapsmith::spans
