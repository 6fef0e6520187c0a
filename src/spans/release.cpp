// Gives memory to the OS: a walk over the dirty runs, which stops and goes on where it stopped, and
// the contents of taken spans.
#include <string.h>

#include <algorithm>

#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

/// Releases [first, first + n), all of it dirty. False: the OS refuses.
bool release_locked(range& r, std::size_t first, std::size_t n) {
  char* p = reinterpret_cast<char*>(r.base) + first * slice_bytes;
  if (!os::decommit(p, n * slice_bytes)) return false;
  change_words_locked(r, first, n, [](free_word& w, std::uint64_t mask) {
    w.dirty &= ~mask;
    w.clean |= mask;
  });
  all.dirty -= n;
  all.promised = std::min(all.promised, all.dirty);
  all.numbers.purged_bytes += n * slice_bytes;
  return true;
}

/// How many slices directly before slice `end` are dirty, counted up to `most` or a few more.
std::size_t dirty_before(const range& r, std::size_t end, std::size_t most) {
  std::size_t n = 0;
  while (n < most && n < end) {
    const std::size_t i = end - n - 1, bits = i % 64 + 1;
    const auto ones =
        static_cast<std::size_t>(std::countl_one(r.words[i / 64].dirty << (64 - bits)));
    n += std::min(ones, bits);
    if (ones < bits) break;
  }
  return n;
}

}  // namespace

void start_walk_locked() {
  all.walk = {range_count.load(relaxed), 0};
}

void walk_locked(std::size_t most, std::size_t steps) {
  complete_words_locked();
  if (all.walk.is_over()) start_walk_locked();
  for (; most != 0 && steps != 0 && !all.walk.is_over(); --steps) {
    if (all.walk.end == 0) {
      all.walk.end = ranges[--all.walk.range].committed();
      continue;
    }
    range& r = ranges[all.walk.range];
    const std::size_t i = std::min(all.walk.end, r.committed()) - 1;  // a range never ends wholly
    const std::uint64_t word = r.words[i / 64].dirty << (63 - i % 64);
    if (word == 0) {
      all.walk.end = i / 64 * 64;
      continue;
    }
    const std::size_t end = i + 1 - static_cast<std::size_t>(std::countl_zero(word));
    const std::size_t n = std::min(dirty_before(r, end, most), most);
    const bool released = release_locked(r, end - n, n);
    if (released) most -= n;
    all.walk = released ? release_walk{all.walk.range, end - n} : release_walk{};
  }
}

void forget_contents(char* start, std::size_t bytes) {
  if (!os::decommit(start, bytes)) memset(start, 0, bytes);
}

void release_contents(char* start, std::size_t bytes) {
  const bool may = settings().purge_delay_ms.load(relaxed) != never_purge;
  if (!may || !os::decommit(start, bytes)) return;
  const os::lock_guard guard(all.lock);
  all.numbers.purged_bytes += bytes;
}

}  // namespace heapsmith::spans
