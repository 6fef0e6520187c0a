// The spans given last: kept out of the words, and taken again first. docs/design/supply.md
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

/// Enters the span of this place into the words.
[[gnu::noinline]] void enter_given_locked(unsigned i) {
  given_spans& g = all.given;
  g.empty(i);
  enter_words_locked(ranges[0], g.first[i], g.slices[i].load(relaxed));
}

}  // namespace

[[gnu::noinline]] record* take_given_locked(std::size_t n) {
  given_spans& g = all.given;
  const unsigned i = g.find(n);
  if (i == given_spans::room) return nullptr;
  g.empty(i);
  // What came back in turn is taken in turn.
  if (i == g.youngest.load(relaxed)) g.youngest.store((i - 1) % given_spans::room, relaxed);
  all.dirty -= n;
  note_claim_locked(n);
  return g.first[i];
}

void keep_given_locked(record* first) {
  given_spans& g = all.given;
  const std::uint32_t filled = g.filled.load(relaxed);
  unsigned i = (g.youngest.load(relaxed) + 1) % given_spans::room;
  if ((filled >> i & 1) != 0) {
    const auto empty = static_cast<unsigned>(std::countr_one(filled));
    if (empty < given_spans::room)
      i = empty;
    else
      enter_given_locked(i);
  }
  g.youngest.store(i, relaxed);
  g.first[i] = first;
  g.slices[i].store(first->slices, relaxed);
  // release: a child forked past our locks finds no place filled before its span is there.
  g.filled.store(g.filled.load(relaxed) | 1U << i, release);
}

[[gnu::noinline]] void complete_words_locked() {
  while (const std::uint32_t filled = all.given.filled.load(relaxed))
    enter_given_locked(static_cast<unsigned>(std::countr_zero(filled)));
}

record* take_again(std::size_t slices) {
  if (all.given.find(slices) == given_spans::room || !all.lock.try_acquire()) return nullptr;
  record* const first = take_given_locked(slices);
  all.numbers.takes += first != nullptr;
  all.lock.release();
  return first;
}

}  // namespace heapsmith::spans
