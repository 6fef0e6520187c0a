// Peers keep such a time for each arena; the heap has one, because its arenas share free spans.
#include "adapt/dialects/delay.hpp"

#include <errno.h>

#include "spans/settings.hpp"
#include "spans/spans.hpp"

namespace heapsmith::dialects {
namespace {

bool never_purges() {
  // cache_bytes is written under the spans' lock, and is a hint for others as the flag is.
  return spans::settings().cache_is_fixed.load(relaxed) &&
         spans::settings().cache_bytes == spans::never_purge;
}

}  // namespace

ssize_t decay_ms() {
  const std::uint64_t delay = spans::settings().purge_delay_ms.load(relaxed);
  return never_purges() || delay == spans::never_purge ? -1 : static_cast<ssize_t>(delay);
}

int set_decay_ms(ssize_t ms) {
  if (ms < -1) return EFAULT;
  if (ms == -1) {
    spans::set_cache_cap(spans::never_purge);
    return 0;
  }
  if (never_purges()) spans::set_cache_cap(spans::no_fixed_cap);
  spans::set_purge_delay(static_cast<std::uint64_t>(ms));
  return 0;
}

}  // namespace heapsmith::dialects
