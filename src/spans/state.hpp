// The state that the spans' lock guards, and helpers of this layer. docs/design/supply.md
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/hidden.hpp"
#include "os/lock.hpp"
#include "spans/giving_back.hpp"
#include "spans/range.hpp"
#include "spans/spans.hpp"

namespace heapsmith::spans {

/// Where a purge goes on: below slice `end` of a range. Each purge begins at the highest address,
/// because reuse takes the lowest first: the highest are needed last.
struct release_walk {
  std::size_t range = 0, end = 0;
  bool is_over() const { return range == 0 && end == 0; }
};

/// The spans given last, those of the first range: counted as dirty, and not in the words yet.
/// Often the next span that is taken is as long as one of them.
struct given_spans {
  static constexpr unsigned room = 8;
  record* first[room] = {};
  // All relaxed: written under the lock; without it, take_again() reads them as a hint.
  atomic<std::uint32_t> slices[room] = {};
  atomic<std::uint32_t> filled{0};    // the set of places that have a span
  atomic<std::uint32_t> youngest{0};  // the place that was filled last

  bool has(unsigned i, std::size_t length) const {
    return slices[i].load(relaxed) == length && (filled.load(relaxed) >> i & 1) != 0;
  }

  /// The place of a span of this length, preferably of the youngest; `room` if no place has one.
  unsigned find(std::size_t length) const {
    const unsigned last = youngest.load(relaxed);
    if (has(last, length)) return last;
    for (std::uint32_t left = filled.load(relaxed); left != 0; left &= left - 1)
      if (const auto i = static_cast<unsigned>(std::countr_zero(left)); has(i, length)) return i;
    return room;
  }

  void empty(unsigned i) { filled.store(filled.load(relaxed) & ~(1U << i), relaxed); }
};

struct state {
  os::lock lock{os::lock_rank::spans};
  std::size_t in_use = 0;    // slices
  std::size_t dirty = 0;     // slices, free
  std::size_t promised = 0;  // slices, dirty: prefaulted, and not taken since
  given_spans given;
  std::size_t outside = 0;   // bytes charged by direct maps
  std::size_t metadata = 0;  // bytes
  giving_back policy;
  release_walk walk;
  // The purger is called when so many slices are dirty: it sleeps or was never started. SIZE_MAX:
  // it is awake, or nobody asked for it.
  std::size_t purger_sleeps_through = SIZE_MAX;
  // Address space was limited when the process started; as far as is known it is: then too, or the
  // OS refused the last growth, or a mapping since.
  bool space_was_limited = false, space_is_limited = false;
  span_stats numbers = {};
};
[[gnu::visibility("hidden")]] extern state all;

/// `n` slices are in use that were free.
inline void note_claim_locked(std::size_t n) {
  all.in_use += n;
  all.promised = std::min(all.promised, all.dirty);
  all.policy.note_taken(all.dirty - all.promised);
}

// given.cpp

/// Takes one of the spans given last, if one has this length: what fits exactly breaks up no longer
/// run, wherever it lies. Null: none has, and the words are not complete.
HS_HIDDEN record* take_given_locked(std::size_t n);

/// Keeps a span out of the words. Where there is no room, another takes its way into them.
HS_HIDDEN void keep_given_locked(record* first);

/// Enters the spans given last into the words: call before they are read. Complexity: eight changes
/// of the words at most, one for each span that was given.
HS_HIDDEN void complete_words_locked();

// give.cpp

/// Makes slices of `r` free and dirty for searches.
HS_HIDDEN void enter_words_locked(range& r, record* first, std::size_t slices);

/// The same, and counts them as given.
void give_locked(range& r, record* first, std::size_t slices);

// accounts.cpp

/// Whether `holder`, which may be null, may hold `bytes` more.
HS_HIDDEN bool fits_account_locked(const account* holder, std::size_t bytes);

/// Counts bytes for the holder, which may be null.
void enter_account_locked(account* holder, std::size_t bytes);

/// A span joins those of an account, or leaves those of the account that it is held for.
void join_locked(account& holder, record* first, std::size_t slices);
void leave_locked(record* first, std::size_t slices);

/// Call after anything that is counted as held became more.
void note_peak_locked();

/// Makes room under the process limit for `bytes` more, by purging if need be.
HS_HIDDEN bool fits_limit_locked(std::size_t bytes);

// tail.cpp

/// The slice from which on all slices are free. Complexity: one step for each word that is free.
std::size_t free_tail_locked(const range& r);

/// Where address space is limited: ends the mapping of a range's free tail when it is most of the
/// range, so that others can map. Growth is by eighths, so growing again costs little. Memory that
/// was promised stays where it is.
HS_HIDDEN void trim_tail_locked(range& r);

/// Slices that nobody ever took have memory, too, where the program locks what it maps
/// (MCL_FUTURE). They lie at the end of a range, which is free after a purge.
[[gnu::cold]] void forget_tail_locked(const range& r);

// release.cpp

/// A purge begins: at the highest address.
void start_walk_locked();

/// Goes on with the walk, or begins another if it is over. Releases up to `most` slices. The walk
/// is over at the lowest address, and where the OS refuses, as old ones do for locked memory.
/// Complexity: linear in the slices released, and in `steps`.
HS_HIDDEN void walk_locked(std::size_t most, std::size_t steps);

// cache.cpp

/// Releases dirty runs until at most `keep` bytes stay cached.
HS_HIDDEN void purge_down_to_locked(std::size_t keep);

/// After spans of `given` slices came back to `r`: where use falls, some of what is free goes to
/// the OS, and where address space is limited, the range's free tail too.
HS_HIDDEN void shed_excess_locked(range& r, std::size_t given);

/// Sets others_may_keep.
void note_who_keeps_locked();

/// A look of the policy at the clock: how many slices may go back now of those that nobody needed.
std::size_t unneeded_locked(std::uint64_t now);

/// Releases up to `most` of them, about 16 MiB at a time. Returns how many slices went back.
std::size_t release_unneeded_locked(std::size_t most);

}  // namespace heapsmith::spans
