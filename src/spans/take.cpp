// Takes and gives spans: first fit by two bits a slice and an index. docs/design/spans.md
#include <algorithm>

#include "base/bit_runs.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

void note_claim_locked(std::size_t n) {
  all.in_use += n;
  all.promised = std::min(all.promised, all.dirty);
  all.policy.note_taken(all.dirty - all.promised);
}

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

/// Gives the room behind a span back. Nobody has touched it since it lost its memory: it is clean.
[[gnu::cold]] void give_room_locked(range& r, record* first) {
  const std::size_t n = first->room;
  const auto at = static_cast<std::size_t>(first - r.records) + first->slices;
  first->room = 0;
  change_words_locked(r, at, n, [](free_word& w, std::uint64_t mask) { w.clean |= mask; });
  note_run_locked(r, set_any, at, n);
}

/// Whether spans may have room: it would cost a limit, or memory that was promised.
bool room_is_free_locked() {
  return !all.space_is_limited && all.promised == 0 && settings().limit_bytes == 0;
}

/// So many words are looked at before the index is used, beside those that a run takes which begins
/// in the first: about as much work as the index needs to learn the words of one change.
constexpr std::size_t near_words = 64;
/// So many runs are looked at before a longer one is chosen, which has room at any address.
constexpr unsigned most_misaligned = 16;

/// The first run of `n` slices from slice `from` on, below `end`.
std::size_t find_from_locked(range& r, unsigned set, std::size_t from, std::size_t end,
                             std::size_t n) {
  const std::size_t near = std::min(end, (from / 64 + near_words + n / 64) * 64);
  const std::size_t found =
      find_run(from, near, n, [&](std::size_t k) { return r.word_at(set, k); });
  return found != no_run || near == end ? found : find_far_locked(r, set, from, end, n);
}

/// The first run that has room for `n` slices at a multiple of `align` slices.
std::size_t find_free_locked(range& r, std::size_t n, std::size_t align, bool dirty_only) {
  const unsigned set = dirty_only ? set_dirty : set_any;
  const std::size_t bias = (r.base >> slice_shift) & (align - 1), end = r.committed();
  const auto aligned = [&](std::size_t i) {
    return ((i + bias + align - 1) & ~(align - 1)) - bias;
  };
  std::size_t from = r.starts[set].lowest(n);
  for (unsigned tries = 0; tries < most_misaligned; ++tries) {
    const std::size_t run = find_from_locked(r, set, from, end, n);
    if (tries == 0) r.starts[set].raise(n, std::min(run, end));
    if (run == no_run) return no_run;
    const std::size_t at = aligned(run);
    if (at == run || find_from_locked(r, set, at, std::min(at + n, end), n) == at) return at;
    from = at + align;
  }
  const std::size_t run = find_from_locked(r, set, from, end, n + align - 1);
  return run == no_run ? no_run : aligned(run);
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

/// Takes one of the spans given last, if one has this length: what fits exactly breaks up no longer
/// run, wherever it lies. Null: none has, and the words are not complete.
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

/// Makes slices of `r` free and dirty for searches.
[[gnu::noinline]] void enter_words_locked(range& r, record* first, std::size_t slices) {
  const auto at = static_cast<std::size_t>(first - r.records);
  change_words_locked(r, at, slices, [](free_word& w, std::uint64_t mask) { w.dirty |= mask; });
  note_run_locked(r, set_dirty, at, slices);
  note_run_locked(r, set_any, at, slices);
}

/// Enters the span of this place into the words.
[[gnu::noinline]] void enter_given_locked(unsigned i) {
  given_spans& g = all.given;
  g.empty(i);
  enter_words_locked(ranges[0], g.first[i], g.slices[i].load(relaxed));
}

/// Keeps a span out of the words. Where there is no room, another takes its way into them.
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

record* take_again(std::size_t slices) {
  if (all.given.find(slices) == given_spans::room || !all.lock.try_acquire()) return nullptr;
  record* const first = take_given_locked(slices);
  all.numbers.takes += first != nullptr;
  all.lock.release();
  return first;
}

void give_locked(range& r, record* first, std::size_t slices) {
  enter_words_locked(r, first, slices);
  count_given_locked(slices);
}

[[gnu::noinline]] void complete_words_locked() {
  while (const std::uint32_t filled = all.given.filled.load(relaxed))
    enter_given_locked(static_cast<unsigned>(std::countr_zero(filled)));
}

void give(record* first) {
  const os::lock_guard guard(all.lock);
  range& r = range_of(first);
  const std::size_t slices = first->slices;
  if (first->account != nullptr) leave_locked(first, slices);
  if (first->room != 0) give_room_locked(r, first);
  if (&r == &main_range) {
    keep_given_locked(first);
  } else {
    enter_words_locked(r, first, slices);
  }
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
