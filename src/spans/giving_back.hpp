// When free memory goes back to the OS: decisions on numbers of slices and on milliseconds, which
// know no memory, no clock and no lock. docs/giving-back.md
//
// Two rules. What nobody needed for a whole purge delay goes back. And when a program ends a phase,
// as a fall of its use shows, most of what that freed goes back at once: there may be no call from
// then on. A fall is a mistake if the use rises again. Mistakes draw on a credit, which only time
// restores: without credit, a fall releases nothing. docs/design/giving-back.md
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace heapsmith::spans {

class giving_back {
 public:
  /// So much may be free at any time.
  static constexpr std::size_t always_kept = 4 * MiB / slice_bytes;
  /// While a program works, its use goes up and down. So many times what is in use may be free.
  static constexpr std::size_t usual_ratio = 2;
  /// A call releases no fewer slices: 45 µs.
  static constexpr std::size_t slices_at_once = 768 * KiB / slice_bytes;
  /// At this rate memory goes back that nobody needed: 1.6 % of the time, a second's in one look.
  static constexpr std::size_t slices_for_each_ms = 4;
  static constexpr std::uint64_t most_ms_of_a_look = 1000;

  /// A slice that goes back and is needed again costs 15 µs. The credit gains one in each two ms,
  /// up to `always_kept`: so mistakes cost less than 1 % of the time. Any debt ends in ten minutes.
  static constexpr std::int64_t ms_for_each_slice = 2, most_debt = 300'000;

  /// Spans were taken, and `dirty` slices are left.
  constexpr void note_taken(std::size_t dirty) {
    falls_ = false;  // use does not collapse while spans are taken
    unneeded_ = std::min(unneeded_, dirty);
    owed_ = std::min(owed_, dirty);
  }

  /// `clean` slices were taken that have no memory. Returns how many of them went back before.
  constexpr std::size_t refault(std::size_t clean) {
    const std::size_t n = std::min(clean, released_);
    released_ -= n;
    credit_ = std::max(credit_ - static_cast<std::int64_t>(n), -most_debt);
    return n;
  }

  /// Spans of `given` slices came back: how many slices to release. Reads the clock, `now()`, only
  /// where much is free.
  template <class Clock>
  constexpr std::size_t fall(std::size_t given, std::size_t in_use, std::size_t dirty, Clock now) {
    const std::size_t low = std::max(always_kept, in_use / 8);
    if (dirty < low + slices_at_once) {
      if (dirty <= low) falls_ = false;
      return 0;
    }
    if (!falls_) {
      if (dirty < std::max(low, usual_ratio * in_use) + slices_at_once) return 0;
      restore_credit(now());
      if (credit_ <= 0) return 0;
      falls_ = true;
    }
    // The cache grows by `given`, and what is usual falls by twice as much.
    return std::min(dirty - low, std::max(slices_at_once, (1 + usual_ratio) * given));
  }

  /// Time passes: how many slices to release of those that nobody has needed for `delay`.
  constexpr std::size_t look(std::uint64_t now, std::uint64_t delay, std::size_t dirty) {
    now = std::max(now, looked_ms_);  // another thread may have looked since
    unneeded_ = std::min(unneeded_, dirty);
    owed_ = std::min(owed_, dirty);  // a limit or a request may have released some
    if (since_ms_ == 0 || now - since_ms_ >= delay) {
      owed_ = since_ms_ == 0 ? 0 : unneeded_;
      unneeded_ = dirty;
      since_ms_ = now;
    }
    const std::uint64_t passed = std::min(now - looked_ms_, most_ms_of_a_look);
    looked_ms_ = now;
    return std::min<std::uint64_t>(owed_, passed * slices_for_each_ms);
  }

  /// `n` slices went back by these rules. Where the OS refuses, none did: a mistake, too.
  constexpr void release(std::size_t n) {
    released_ += n;
    owed_ -= std::min(owed_, n);
    if (n != 0) return;
    falls_ = false;
    owed_ = 0;
    credit_ = std::max(credit_ - std::int64_t{slices_at_once}, -most_debt);
  }

  /// Memory goes back after a fall, and no span was taken since that began.
  constexpr bool falls() const { return falls_; }
  /// When the present purge delay began; 0: none has.
  constexpr std::uint64_t since_ms() const { return since_ms_; }
  /// Slices that are to go back, which nobody needed.
  constexpr std::size_t owed() const { return owed_; }

 private:
  constexpr void restore_credit(std::uint64_t now) {
    const auto gained = static_cast<std::int64_t>(now - credited_ms_) / ms_for_each_slice;
    credit_ = std::min(credit_ + gained, std::int64_t{always_kept});
    credited_ms_ += static_cast<std::uint64_t>(gained * ms_for_each_slice);
  }

  bool falls_ = false;
  std::int64_t credit_ = always_kept;  // slices
  std::size_t released_ = 0;           // slices that went back and were not taken since
  std::size_t unneeded_ = 0;           // the least that was free since `since_ms_`
  std::size_t owed_ = 0;  // what the last purge delay showed, and has not gone back yet
  std::uint64_t since_ms_ = 0, looked_ms_ = 0, credited_ms_ = 0;
};

}  // namespace heapsmith::spans
