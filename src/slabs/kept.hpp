// The spans that a thread keeps for its next needs: those of slabs that became wholly free, and of
// large blocks.
//
// Only the heap's own thread adds spans, without a lock. Any thread may take them by exchange: so a
// purge reaches the spans of a thread that sleeps.
#pragma once

#include <bit>
#include <cstdint>

#include "base/atomic.hpp"
#include "spans/record.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// Longer spans are not kept, in slices.
inline constexpr std::uint32_t kept_longest = 8;

/// How many slices a thread may keep over all.
inline constexpr std::uint32_t kept_slices = 8;
inline constexpr unsigned kept_slots = kept_slices;  // each span has a slice at least

class kept_spans {
 public:
  /// Adds a span. Returns the number of its slot; kept_slots: the thread keeps too much.
  [[gnu::noinline]] unsigned add(spans::record* first, std::uint32_t slices) {
    if (purged_.load(relaxed) != purged_seen_) forget_purged();
    const unsigned i = static_cast<unsigned>(std::countr_one(filled_));
    if (slices > kept_longest || held() + slices > kept_slices || i >= kept_slots)
      return kept_slots;
    filled_ |= bit(i);
    of_length_[slices] |= bit(i);
    slices_ += slices;
    // release pairs with the exchange in purge(): that thread sees the span's records. The slot is
    // empty, and only this thread fills it.
    slot_[i].store(first, release);
    return i;
  }

  /// Takes the span of a slot that was filled with one of this length; null if it is there no more.
  [[gnu::noinline]] spans::record* take(unsigned i, std::uint32_t slices) {
    if ((of_length_[slices] & bit(i)) == 0) return nullptr;
    filled_ &= ~bit(i);
    of_length_[slices] &= ~bit(i);
    // relaxed: this thread filled the slot; a heap changes threads under a lock.
    spans::record* const first = slot_[i].exchange(nullptr, relaxed);
    if (first != nullptr) slices_ -= slices;
    return first;
  }

  /// Takes a span of this length; null if the thread keeps no such span. Complexity: a step for
  /// each span that a purge has taken, at most kept_slots.
  spans::record* take_any(std::uint32_t slices) {
    if (slices > kept_longest) return nullptr;
    while (const std::uint64_t filled = of_length_[slices])
      if (auto* first = take(static_cast<unsigned>(std::countr_zero(filled)), slices)) return first;
    return nullptr;
  }

  bool empty() const { return held() == 0; }

  /// Any thread: takes all spans and passes each to `give`. Complexity: kept_slots steps.
  template <class Give>
  void purge(Give give) {
    for (auto& slot : slot_) {
      if (slot.load(relaxed) == nullptr) continue;  // a span added meanwhile is found next time
      // acquire pairs with add(): the records of the span.
      spans::record* const first = slot.exchange(nullptr, acquire);
      if (first == nullptr) continue;
      purged_.fetch_add(first->slices, relaxed);  // a count; the exchange hands the span over
      give(first);
    }
  }

 private:
  static std::uint64_t bit(unsigned i) { return std::uint64_t{1} << i; }

  std::uint32_t held() const { return slices_ - purged_.load(relaxed); }

  [[gnu::noinline]] void forget_purged() {
    purged_seen_ = purged_.load(relaxed);
    for (std::uint64_t rest = filled_; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(rest));
      if (slot_[i].load(relaxed) != nullptr) continue;
      filled_ &= ~bit(i);
      for (std::uint64_t& of_length : of_length_) of_length &= ~bit(i);
    }
  }

  atomic<spans::record*> slot_[kept_slots] = {};
  atomic<std::uint32_t> purged_{0};  // slices that purges took, ever
  // The rest is the thread's own. Slots that a purge has emptied stay in the sets until it notices.
  std::uint32_t purged_seen_ = 0;
  std::uint32_t slices_ = 0;  // slices added and not taken back by the thread, ever
  std::uint64_t filled_ = 0;  // the set of filled slots
  std::uint64_t of_length_[kept_longest + 1] = {};
};

}  // namespace heapsmith
