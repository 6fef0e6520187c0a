// Spans: contiguous slices that engines take and give back; reuse comes before growth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hidden.hpp"
#include "os/lock.hpp"
#include "spans/range.hpp"
#include "spans/record.hpp"

namespace heapsmith::spans {

/// Of so many slices, at the start of a span, is known which are clean.
inline constexpr std::size_t clean_map_slices = direct_map_min / slice_bytes;

/// A taken span. `slice_is_clean(i)`: slice i reads as zero and no memory is behind it yet.
struct span {
  record* first = nullptr;  // null: nothing was taken
  char* start = nullptr;
  std::size_t slices = 0;
  std::uint64_t clean[clean_map_slices / 64] = {};

  explicit operator bool() const { return first != nullptr; }
  bool slice_is_clean(std::size_t i) const {
    return i < clean_map_slices && ((clean[i / 64] >> (i % 64)) & 1) != 0;
  }
};

enum class growth : std::uint8_t { forbidden, allowed };

/// Spans and direct maps that are counted, limited and given back together, under the spans' lock.
struct account {
  record* first = nullptr;  // its spans, linked through their records
  std::size_t held = 0;     // bytes: spans and direct maps
  std::size_t peak = 0;     // highest of `held`
  std::size_t limit = 0;    // for `held`; 0: none
  std::size_t direct = 0;   // bytes of direct maps among `held`
};

/// Takes `slices` contiguous slices whose address is a multiple of `align_slices` slices (a power
/// of two): a dirty span anywhere before a clean one, the lowest address of each, and with
/// growth::allowed new address space last. Sets `slices` in the first record; the engine's
/// part of the records is as it was when they were given. With an account, within its limit and as
/// one of its spans. With `room`, so many slices behind the span are left for its growth, without
/// memory: no limit and no statistic counts them, but as committed. They go back with the span, and
/// when it is trimmed. Nothing is taken with room where address space is limited. Complexity: a
/// scan of free words. Thread safety: any thread.
HS_HIDDEN span take(std::size_t slices, std::size_t align_slices, growth, account* holder = nullptr,
                    std::size_t room = 0);

/// Takes one of the spans given last, if one of them has this length. Null: none has, or the lock
/// is not free. It lies in the first range, and all of it is dirty. Complexity: constant. Any
/// thread, and a signal handler.
record* take_again(std::size_t slices);

/// Gives a span back. The caller has set the engine's part of its records to what the next taker
/// shall find. Where the program's use falls, some free memory returns to the OS. Any thread.
HS_HIDDEN void give(record* first);

/// Gives back the slices of a span beyond the first `keep`.
void trim(record* first, std::size_t keep);

/// Gives all spans of an account back, which nobody uses any more. For each calls `forget` first,
/// which does for its records what the caller of give() does; the spans' lock is held.
void give_all(account&, void (*forget)(record* first, std::size_t slices));

/// Whether an account has any span or direct map.
bool holds_anything(const account&);

/// An account that has none begins again, without a limit.
void reset_account(account&);

/// The limit of an account in bytes, 0 for none; takes effect on the next request.
void set_limit(account&, std::size_t bytes);

/// Extends a span at its end by `more` slices if they are its room or free. False: nothing changed.
bool extend(record* first, std::size_t more);

/// Makes memory of a taken span read as zero, and takes it away if the OS can. Complexity: linear
/// in the bytes.
void forget_contents(char* start, std::size_t bytes);

/// Takes memory of a taken span away, which holds nothing, if the user lets it and the OS can.
void release_contents(char* start, std::size_t bytes);

/// Time has passed: some of the memory that nobody needed for the purge delay goes back to the OS.
/// Call now and then, without a lock; `now` as of os::now_ms(). Complexity: linear in the
/// milliseconds since the last look. Any thread.
HS_HIDDEN void look(std::uint64_t now);

/// Gives every free span's memory back to the OS. Returns bytes given.
std::size_t purge();

/// Whether address space is limited, as far as is known.
bool space_is_limited();

/// Ends the mappings of the free tails of the ranges, for a mapping outside that the OS has
/// refused. False: they have none.
bool make_address_space();

/// Counts bytes of direct maps, which lie outside spans, against the limits of the process and of
/// `holder`. Returns false and counts nothing if a limit would be passed even after a purge. A
/// caller that the OS then refuses discharges the bytes; only settled bytes count as a peak.
HS_HIDDEN bool charge(std::size_t bytes, account* holder = nullptr);
void settle_charge(account* holder = nullptr);
HS_HIDDEN void discharge(std::size_t bytes, account* holder = nullptr);

/// A request failed: says once on stderr if the process limit had no room. Call without a lock.
HS_HIDDEN void report_limit();

/// Backs `bytes` of free slices with pages, growing address space if necessary. They stay until
/// they are taken, or purged on request or for a limit. False: refused.
bool prefault(std::size_t bytes);

/// The process limit in bytes, 0 for none; takes effect on the next request for memory.
void set_limit(std::size_t bytes);
/// The cap on cached bytes, or one of these.
inline constexpr std::size_t no_fixed_cap = SIZE_MAX;
inline constexpr std::size_t never_purge = SIZE_MAX - 1;
void set_cache_cap(std::size_t bytes);

/// The purge delay; 0: what exceeds the cap goes to the OS at once.
void set_purge_delay(std::uint64_t ms);

/// False if only the cache may keep long free memory: the user says how much is kept or held, or
/// address space is limited, and a free slice at the end of a range stands in the way of others. As
/// of the last growth or setting. relaxed: written under the lock; for others a hint.
HS_HIDDEN extern atomic<bool> others_may_keep;

/// Memory for the allocator's own objects: zeroed, 64-byte aligned, never given back.
/// Null when the OS refuses.
void* allocate_metadata(std::size_t bytes);

struct span_stats {
  std::size_t committed_bytes;                // mapped slices
  std::size_t in_use_bytes;                   // spans held by engines
  std::size_t cached_bytes;                   // free, with memory behind them
  std::size_t outside_bytes, metadata_bytes;  // charged; records and heaps
  std::size_t peak_bytes;  // highest in use + cached + outside + allocate_metadata()
  std::size_t takes, gives, growths, purges, purged_bytes, refaults;
};
HS_HIDDEN span_stats stats();

/// The lock of everything above, for fork: taken before fork(), released or reset after.
HS_HIDDEN os::lock& the_lock();

}  // namespace heapsmith::spans
