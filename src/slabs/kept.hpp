// The spans that a thread keeps for its next needs: those of slabs that became wholly free.
//
// Only the heap's own thread adds spans, without a lock. Any thread may take them by exchange: so a
// purge reaches the spans of a thread that sleeps. docs/design/supply.md
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/size_classes.hpp"
#include "spans/record.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// The slices that a thread may keep, without those that a class has asked for. Longer spans are
/// not kept.
inline constexpr std::uint32_t kept_slices = 8;

/// The threads that have a heap; they share what may be kept beyond that. relaxed: a hint.
extern atomic<std::uint32_t> threads_with_heaps;

/// How many slices a thread may keep if it set its current slabs aside: giving back a slab that it
/// takes again at once would cost as much as many allocations. Up to 16 threads together keep 8
/// MiB; with more threads, each keeps no more than otherwise.
inline constexpr std::uint32_t kept_together = 128;
inline std::uint32_t kept_slices_in_use() {
  const std::uint32_t threads = threads_with_heaps.load(relaxed);
  return std::max(kept_slices, kept_together / std::max(threads, 1u));
}

class kept_spans {
 public:
  /// Adds a span. Returns the number of its slot; kept_slots: it would be more than `most` slices.
  /// `wanted_by`, if not 0, is a class's number + 1: others take the span only if there is no
  /// other.
  [[gnu::noinline]] unsigned add(spans::record* first, std::uint32_t slices, std::uint32_t most,
                                 std::uint8_t wanted_by = 0) {
    if (purged_.load(relaxed) != purged_seen_) forget_purged();
    const unsigned i = static_cast<unsigned>(std::countr_one(filled_));
    if (slices > kept_slices || held() + slices > most || i >= kept_slots) return kept_slots;
    filled_ |= bit(i);
    of_length_[slices] |= bit(i);
    if (wanted_by != 0) wanted_ |= bit(i);
    wanted_by_[i] = wanted_by;
    slices_ += slices;
    // release pairs with the exchange in purge(): that thread sees the span's records. The slot is
    // empty, and only this thread fills it.
    slot_[i].store(first, release);
    return i;
  }

  /// Adds a span that no class wants.
  unsigned add_unwanted(spans::record* first, std::uint32_t slices) {
    return add(first, slices, most_with_unwanted());
  }

  /// Removes the span of a slot that was filled with one of this length; null: it is gone.
  [[gnu::noinline]] spans::record* remove(unsigned i, std::uint32_t slices) {
    if ((of_length_[slices] & bit(i)) == 0) return nullptr;
    filled_ &= ~bit(i);
    wanted_ &= ~bit(i);
    of_length_[slices] &= ~bit(i);
    // relaxed: this thread filled the slot; a heap changes threads under a lock.
    spans::record* const first = slot_[i].exchange(nullptr, relaxed);
    if (first != nullptr) slices_ -= slices;
    return first;
  }

  /// The same, if the span that fills the slot now is the one that this class wants.
  spans::record* remove_wanted(unsigned i, std::uint32_t slices, std::uint8_t wanted_by) {
    return wanted_by_[i] == wanted_by ? remove(i, slices) : nullptr;
  }

  /// Removes a span of this length, one that no class wants if there is one, and no other if those
  /// are spared. Complexity: a step for each span that a purge has taken, at most kept_slots.
  spans::record* remove_any(std::uint32_t slices, bool spares_wanted = false) {
    if (slices > kept_slices) return nullptr;
    while (const std::uint64_t filled = of_length_[slices]) {
      const std::uint64_t unwanted = filled & ~wanted_;
      if (unwanted == 0 && spares_wanted) break;
      const int i = std::countr_zero(unwanted != 0 ? unwanted : filled);
      if (auto* first = remove(static_cast<unsigned>(i), slices)) return first;
    }
    return nullptr;
  }

  /// How many slices may be kept with one more span that no class wants. Those that are wanted, a
  /// slice each, do not count, except where many threads share what may be kept.
  std::uint32_t most_with_unwanted() const {
    const auto wanted = static_cast<std::uint32_t>(std::popcount(wanted_));
    return std::min(kept_slices + wanted, kept_slices_in_use());
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
      wanted_ &= ~bit(i);
      for (std::uint64_t& of_length : of_length_) of_length &= ~bit(i);
    }
  }

  atomic<spans::record*> slot_[kept_slots] = {};
  atomic<std::uint32_t> purged_{0};  // slices that purges took, ever
  // The rest is the thread's own. Slots that a purge has emptied stay in the sets until it notices.
  std::uint32_t purged_seen_ = 0;
  std::uint32_t slices_ = 0;  // slices added and not taken back by the thread, ever
  std::uint64_t filled_ = 0;  // the set of filled slots
  std::uint64_t wanted_ = 0;  // those of them that a class wants back
  std::uint64_t of_length_[kept_slices + 1] = {};
  std::uint8_t wanted_by_[kept_slots] = {};
};

}  // namespace heapsmith
