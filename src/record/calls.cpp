// Writes the events. Their bytes are drawn in docs/trace-format.md.
#include "record/calls.hpp"

#include <errno.h>

#include "record/resident.hpp"

namespace heapsmith::recorder {
namespace {

unsigned char* sample(stream& s, std::size_t bytes, std::uintptr_t caller, unsigned char* at) {
  s.unsampled -= static_cast<std::int64_t>(bytes < (std::size_t{1} << 40) ? bytes : 0);
  if (s.unsampled >= 0) [[likely]]
    return at;
  draw_sample(s);
  return write_stack(s, caller, at);
}

/// Effects: watches a block that is large.
void watch(const void* p, std::size_t bytes) {
  if (bytes >= large_bytes) [[unlikely]]
    large.add(reinterpret_cast<std::uintptr_t>(p), bytes);
}

unsigned char* put_resident(unsigned char* at, std::uintptr_t p, std::size_t bytes) {
  at = put_control(at, control::resident);
  at = put_number(at, p / address_unit);
  return put_number(at, bytes);
}

/// Effects: if the block is watched, notes how much of it is in memory.
unsigned char* note_resident(const void* p, unsigned char* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const std::size_t bytes = large.remove(address);
  if (bytes == 0) [[likely]]
    return at;
  const int error = errno;
  at = put_resident(at, address, resident_bytes(address, bytes));
  errno = error;
  return at;
}

[[gnu::destructor]] void end_of_program() {
  note_all_resident();
}

}  // namespace

void record_made(op what, api which, const void* p, std::size_t bytes, std::size_t align,
                 std::uintptr_t caller) {
  stream& s = here;
  writing event(s);
  if (!event) return;
  const std::uint64_t passed = stamp(s);
  unsigned char* at = event.at;
  if (p == nullptr) [[unlikely]] {
    at = put_head(s, at, op::failed, passed, caller);
    at = put_byte(at, static_cast<unsigned>(which));
    event.at = put_number(at, bytes);
    return;
  }
  at = sample(s, bytes, caller, at);
  at = put_head(s, at, what, passed, caller);
  if (what == op::other_allocation) {
    at = put_byte(at, static_cast<unsigned>(which));
    at = put_number(at, align);
  }
  at = put_number(at, bytes);
  event.at = put_made(s, at, p, bytes);
  watch(p, bytes);
}

void record_ended(op what, const void* p, std::uintptr_t caller) {
  stream& s = here;
  // A thread that has ended frees null for libc, which is not worth a block.
  if (p == nullptr && s.has_ended) return;
  writing event(s);
  if (!event) return;
  const std::uint64_t passed = stamp(s);
  if (p == nullptr) {
    event.at = put_head(s, event.at, op::free_null, passed, caller);
    return;
  }
  unsigned char* at = note_resident(p, event.at);
  at = put_head(s, at, what, passed, caller);
  event.at = put_ended(s, at, p, caller);
}

void record_realloc(const void* old, const void* p, std::size_t bytes, std::uint64_t before,
                    std::uintptr_t caller) {
  if (old == nullptr) {
    record_made(p == nullptr ? op::failed : op::other_allocation, api::realloc, p, bytes, 1,
                caller);
    return;
  }
  stream& s = here;
  const std::uint64_t after = tick_now();
  writing event(s);
  if (!event) return;
  // The old block is gone, and only its new form is watched: it has what the old one had.
  if (p != nullptr || bytes == 0) large.remove(reinterpret_cast<std::uintptr_t>(old));
  if (p != nullptr) watch(p, bytes);
  unsigned char* at = sample(s, bytes, caller, event.at);
  const std::uint64_t passed = before > s.tick ? before - s.tick : 0;
  s.tick += passed;
  at = put_head(s, at, op::realloc, passed, caller);
  at = put_ended(s, at, old, caller);
  at = put_number(at, bytes);
  const std::uint64_t took = after > s.tick ? after - s.tick : 0;
  s.tick += took;
  at = put_number(at, took);
  if (p == nullptr || p == old) {
    event.at = put_byte(at, p == nullptr ? 0 : 1);
  } else {
    at = put_byte(at, 2);
    event.at = put_made(s, at, p, bytes);
  }
}

void note_all_resident() {
  stream& s = here;
  large.for_each([&s](std::uintptr_t p, std::size_t bytes) {
    writing event(s);
    if (event) event.at = put_resident(event.at, p, resident_bytes(p, bytes));
    large.remove(p);
  });
}

void record_usable_size(const void* p, std::uintptr_t caller) {
  stream& s = here;
  writing event(s);
  if (!event) return;
  unsigned char* const at = put_head(s, event.at, op::usable_size, stamp(s), caller);
  event.at = put_ended(s, at, p, caller);
}

std::uint32_t record_start() {
  static constinit atomic<std::uint32_t> starts{0};
  stream& s = here;
  writing event(s);
  if (!event) return 0;
  is_alone.store(false, relaxed);  // relaxed: pthread_create() passes it on to the new thread
  s.unstamped = 0;
  const std::uint32_t number = starts.fetch_add(1, relaxed) + 1;  // relaxed: only to differ
  event.at = put_number(put_number(put_control(event.at, control::start), stamp(s)), number);
  return number;
}

}  // namespace heapsmith::recorder
