// Gives spans back, whole or in part. docs/design/spans.md
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

/// Gives the room behind a span back. Nobody has touched it since it lost its memory: it is clean.
[[gnu::cold]] void give_room_locked(range& r, record* first) {
  const std::size_t n = first->room;
  const auto at = static_cast<std::size_t>(first - r.records) + first->slices;
  first->room = 0;
  change_words_locked(r, at, n, [](free_word& w, std::uint64_t mask) { w.clean |= mask; });
  note_run_locked(r, set_any, at, n);
}

void count_given_locked(std::size_t slices) {
  all.in_use -= slices;
  all.dirty += slices;
  ++all.numbers.gives;
}

/// Spans that end in one section: others wait for the lock no longer than for a purge.
constexpr unsigned gives_at_once = 256;

/// Ends spans of an account; false when it has none left.
bool give_some_locked(account& a, void (*forget)(record* first, std::size_t slices)) {
  for (unsigned n = 0; n < gives_at_once; ++n) {
    record* const first = a.first;
    if (first == nullptr) return false;
    const std::size_t slices = first->slices;
    leave_locked(first, slices);
    forget(first, slices);
    if (first->room != 0) give_room_locked(range_of(first), first);
    give_locked(range_of(first), first, slices);
  }
  return true;
}

}  // namespace

[[gnu::noinline]] void enter_words_locked(range& r, record* first, std::size_t slices) {
  const auto at = static_cast<std::size_t>(first - r.records);
  change_words_locked(r, at, slices, [](free_word& w, std::uint64_t mask) { w.dirty |= mask; });
  note_run_locked(r, set_dirty, at, slices);
  note_run_locked(r, set_any, at, slices);
}

void give_locked(range& r, record* first, std::size_t slices) {
  enter_words_locked(r, first, slices);
  count_given_locked(slices);
}

void give(record* first) {
  const os::lock_guard guard(all.lock);
  range& r = range_of(first);
  const std::size_t slices = first->slices;
  if (first->account != nullptr) leave_locked(first, slices);
  if (first->room != 0) give_room_locked(r, first);
  if (&r == &main_range)
    keep_given_locked(first);
  else
    enter_words_locked(r, first, slices);
  count_given_locked(slices);
  shed_excess_locked(r, slices);
}

void trim(record* first, std::size_t keep) {
  const os::lock_guard guard(all.lock);
  range& r = range_of(first);
  const std::size_t slices = first->slices;
  if (first->room != 0) give_room_locked(r, first);
  first->slices = static_cast<std::uint32_t>(keep);
  if (account* const holder = first->account) holder->held -= (slices - keep) * slice_bytes;
  give_locked(r, first + keep, slices - keep);
  shed_excess_locked(r, slices - keep);
}

[[gnu::cold]] void give_all(account& a, void (*forget)(record* first, std::size_t slices)) {
  for (bool more = true, sheds = true; more || sheds;) {
    const os::lock_guard guard(all.lock);
    more = more && give_some_locked(a, forget);
    const std::size_t before = all.dirty;
    for (std::size_t k = 0; k < range_count.load(relaxed); ++k)
      shed_excess_locked(ranges[k], gives_at_once / 2);
    sheds = all.dirty != before;
  }
}

}  // namespace heapsmith::spans
