// Writes the events. Their bytes are drawn in docs/trace-format.md.
#include "watch/record/calls.hpp"

#include <errno.h>

#include "watch/record/resident.hpp"

namespace heapsmith::recorder {
namespace {

void sample(stream& s, std::size_t bytes, std::uintptr_t caller) {
  s.unsampled -= static_cast<std::int64_t>(bytes < (std::size_t{1} << 40) ? bytes : 0);
  if (s.unsampled >= 0) [[likely]]
    return;
  write_stack(s, caller);
  draw_sample(s);
}

/// Effects: watches a block that is large.
void watch(const void* p, std::size_t bytes) {
  if (bytes < large_bytes) [[likely]]
    return;
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  large.take(at);  // an older block, whose end was not recorded
  large.add(at, bytes);
}

void put_resident(stream& s, std::uintptr_t p, std::size_t bytes) {
  put_control(s, control::resident);
  put_number(s, p / address_unit);
  put_number(s, bytes);
}

/// Effects: if the block is watched, notes how much of it is in memory.
void note_resident(stream& s, const void* p) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  const std::size_t bytes = large.take(at);
  if (bytes == 0) [[likely]]
    return;
  const int error = errno;
  put_resident(s, at, resident_bytes(at, bytes));
  errno = error;
}

/// The blocks that are left at the end of the program.
[[gnu::destructor]] void record_at_exit() {
  record_all_resident();
}

}  // namespace

void record_made(op what, api which, const void* p, std::size_t bytes, std::size_t align,
                 std::uintptr_t caller) {
  stream& s = here;
  const std::uint64_t tick = tick_now();
  const writing event(s);
  if (!event) return;
  if (p == nullptr) [[unlikely]] {
    put_head(s, op::failed, tick, caller);
    put_byte(s, static_cast<unsigned>(which));
    put_number(s, bytes);
    return;
  }
  sample(s, bytes, caller);
  put_head(s, what, tick, caller);
  if (what == op::other_allocation) {
    put_byte(s, static_cast<unsigned>(which));
    put_number(s, align);
  }
  put_number(s, bytes);
  put_made(s, p);
  watch(p, bytes);
}

void record_ended(op what, const void* p, std::uintptr_t caller) {
  stream& s = here;
  // A thread that has ended frees null for libc, which is not worth a block.
  if (p == nullptr && s.has_ended) return;
  const std::uint64_t tick = tick_now();
  const writing event(s);
  if (!event) return;
  if (p == nullptr) {
    put_head(s, op::free_null, tick, caller);
    return;
  }
  note_resident(s, p);
  put_head(s, what, tick, caller);
  put_ended(s, p);
}

void record_realloc(const void* old, const void* p, std::size_t bytes, std::uint64_t before,
                    std::uintptr_t caller) {
  stream& s = here;
  const std::uint64_t after = tick_now();
  const writing event(s);
  if (!event) return;
  sample(s, bytes, caller);
  // The old block is gone, and only its new form is watched: it has what the old one had.
  if (p != nullptr || bytes == 0) large.take(reinterpret_cast<std::uintptr_t>(old));
  if (p != nullptr) watch(p, bytes);
  put_head(s, op::realloc, before, caller);
  put_ended(s, old);
  put_number(s, bytes);
  const std::uint64_t passed = after > s.tick ? after - s.tick : 0;
  put_number(s, passed);
  s.tick += passed;
  if (p == nullptr || p == old) {
    put_byte(s, p == nullptr ? 0 : 1);
  } else {
    put_byte(s, 2);
    put_made(s, p);
  }
}

void record_usable_size(const void* p, std::uintptr_t caller) {
  stream& s = here;
  const writing event(s);
  if (!event) return;
  put_head(s, op::usable_size, tick_now(), caller);
  put_ended(s, p);
}

void record_all_resident() {
  stream& s = here;
  large.for_each([&s](std::uintptr_t p, std::size_t bytes) {
    const writing event(s);
    if (event) put_resident(s, p, resident_bytes(p, bytes));
  });
}

}  // namespace heapsmith::recorder
