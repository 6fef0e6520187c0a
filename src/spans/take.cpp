// Takes and extends spans: dirty runs before clean ones, growth last. docs/design/spans.md
#include <algorithm>

#include "base/bit_runs.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

/// Marks a run taken that is dirty throughout.
void claim_dirty_locked(range& r, std::size_t first, std::size_t n) {
  change_words_locked(r, first, n, [](free_word& w, std::uint64_t mask) { w.dirty &= ~mask; });
  all.dirty -= n;
  note_claim_locked(n);
}

/// Marks a run taken; `out`, if not null, learns which of its slices were clean.
[[gnu::noinline]] void claim_locked(range& r, std::size_t first, std::size_t n, span* out) {
  std::size_t at = 0;
  change_words_locked(r, first, n, [&](free_word& w, std::uint64_t mask) {
    all.dirty -= static_cast<std::size_t>(std::popcount(w.dirty & mask));
    if (out != nullptr && (w.clean & mask) != 0) {
      for (std::uint64_t m = mask; m != 0; m &= m - 1, ++at)
        if ((w.clean & m & -m) != 0 && at < clean_map_slices)
          out->clean[at / 64] |= std::uint64_t{1} << (at % 64);
    } else {
      at += static_cast<std::size_t>(std::popcount(mask));
    }
    w.dirty &= ~mask;
    w.clean &= ~mask;
  });
  note_claim_locked(n);
  note_peak_locked();
}

/// Whether spans may have room: it would cost a limit, or memory that was promised.
bool room_is_free_locked() {
  return !all.space_is_limited && all.promised == 0 && settings().limit_bytes == 0;
}

[[gnu::noinline, gnu::cold]] bool grow_locked(std::size_t n, std::size_t align) {
  const std::size_t want = n + align - 1;
  const std::size_t have = range_count.load(relaxed);
  bool grown = false;
  for (std::size_t k = 0; k < have && !grown; ++k) grown = grow_range_locked(ranges[k], want);
  // Under a limit, as much as the free tail lacks.
  bool grown_by_less = false;
  for (std::size_t k = 0; k < have && !grown; ++k) {
    const std::size_t tail = ranges[k].committed() - free_tail_locked(ranges[k]);
    grown = grown_by_less = tail != 0 && tail < want && grow_range_locked(ranges[k], want - tail);
  }
  // A further range only where the last one is in use: a refusal for lack of memory adds none.
  if (!grown &&
      (have == 0 || ranges[have - 1].committed() != 0 || ranges[have - 1].capacity < want)) {
    range* r = add_range_locked(want);
    grown = r != nullptr && grow_range_locked(*r, want);
  }
  all.numbers.growths += grown;
  all.space_is_limited = all.space_was_limited || grown_by_less || !grown;
  note_who_keeps_locked();
  return grown;
}

/// Claims a run found in some range, and room behind it; with `dirty_only`, both have memory.
bool take_found_locked(std::size_t n, std::size_t room, std::size_t align, bool dirty_only,
                       span& out) {
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k) {
    range& r = k == 0 ? main_range : ranges[k];  // no call for the only one of most processes
    const std::size_t first = find_free_locked(r, n + room, align, dirty_only);
    if (first == no_run) continue;
    out.first = r.records + first;
    out.start = r.address_of(out.first);
    out.slices = n;
    if (dirty_only) {
      claim_dirty_locked(r, first, n);
    } else {
      const std::size_t dirty_before = all.dirty;
      claim_locked(r, first, n, &out);
      all.numbers.refaults += all.policy.refault(n - (dirty_before - all.dirty));
    }
    if (room != 0) {
      all.in_use -= room;  // first: room is not in use, so it counts in no peak
      claim_locked(r, first + n, room, nullptr);
    }
    return true;
  }
  return false;
}

bool take_locked(std::size_t slices, std::size_t align_slices, growth may_grow, span& out,
                 std::size_t room) {
  if (align_slices == 1 && room == 0) {
    if (record* const again = take_given_locked(slices)) {
      out.first = again;
      out.start = ranges[0].address_of(again);
      out.slices = slices;
      return true;
    }
  }
  complete_words_locked();
  if (all.dirty >= slices + room && take_found_locked(slices, room, align_slices, true, out))
    return true;
  if (!fits_limit_locked(slices * slice_bytes)) return false;
  if (take_found_locked(slices, room, align_slices, false, out)) return true;
  return may_grow == growth::allowed && grow_locked(slices + room, align_slices) &&
         take_found_locked(slices, room, align_slices, false, out);
}

/// Takes `more` slices behind a span and its room, if they are free.
[[gnu::cold]] bool extend_into_free_locked(const record* first, std::size_t more) {
  complete_words_locked();
  range& r = range_of(first);
  const auto end = static_cast<std::size_t>(first - r.records) + first->slices + first->room;
  if (end + more > r.committed()) {  // at the frontier: it can move
    if (free_tail_locked(r) > end) return false;
    if (!grow_range_locked(r, end + more - r.committed())) return false;
    ++all.numbers.growths;
  }
  bool all_free = true;
  for_each_word(end, more, [&](std::size_t k, std::uint64_t mask) {
    all_free = all_free && (any_free(r.words[k]) & mask) == mask;
  });
  if (!all_free) return false;
  const std::size_t dirty_before = all.dirty;
  claim_locked(r, end, more, nullptr);
  all.numbers.refaults += all.policy.refault(more - (dirty_before - all.dirty));
  return true;
}

/// The main range exists before any second thread can look up a pointer: its plain fields are never
/// written while they are read.
[[gnu::constructor(101)]] void place_main_range() {
  const os::lock_guard guard(all.lock);
  all.space_was_limited = all.space_is_limited = os::address_space_is_limited();
  note_who_keeps_locked();
  if (range_count.load(relaxed) == 0) add_range_locked(1);
}

}  // namespace

span take(std::size_t slices, std::size_t align_slices, growth may_grow, account* holder,
          std::size_t room) {
  span out;
  const os::lock_guard guard(all.lock);
  ++all.numbers.takes;
  if (room != 0 && !room_is_free_locked()) return out;
  const bool was_limited = all.space_is_limited;
  if (!fits_account_locked(holder, slices * slice_bytes) ||
      !take_locked(slices, align_slices, may_grow, out, room)) {
    if (room != 0) {  // it is no need: its refusal does not tell that address space is short
      all.space_is_limited = was_limited;
      note_who_keeps_locked();
    }
    return out;
  }
  out.first->slices = static_cast<std::uint32_t>(slices);
  out.first->room = static_cast<std::uint32_t>(room);
  if (room != 0) forget_contents(out.start + slices * slice_bytes, room * slice_bytes);
  if (holder != nullptr) join_locked(*holder, out.first, slices);
  return out;
}

bool space_is_limited() {
  const os::lock_guard guard(all.lock);
  return all.space_is_limited;
}

[[gnu::cold]] bool extend(record* first, std::size_t more) {
  const os::lock_guard guard(all.lock);
  if (!fits_account_locked(first->account, more * slice_bytes) ||
      !fits_limit_locked(more * slice_bytes))
    return false;
  const std::size_t of_room = std::min<std::size_t>(more, first->room);
  if (of_room != more && !extend_into_free_locked(first, more - of_room)) return false;
  if (of_room != 0) {
    note_claim_locked(of_room);
    note_peak_locked();
  }
  first->room -= static_cast<std::uint32_t>(of_room);
  first->slices += static_cast<std::uint32_t>(more);
  enter_account_locked(first->account, more * slice_bytes);
  return true;
}

}  // namespace heapsmith::spans
