// A range: address space for slices, grown at its end, with a record and two bits for each slice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/hidden.hpp"
#include "base/run_starts.hpp"
#include "base/run_tree.hpp"
#include "base/units.hpp"
#include "spans/record.hpp"

namespace heapsmith::spans {

/// The free ones of 64 slices, and those of them that have memory.
struct free_word {
  std::uint64_t dirty;  // free, memory behind it: cheap to take, must be cleared for calloc
  std::uint64_t clean;  // free, no memory behind it: reads as zero, costs page faults
};

inline std::uint64_t any_free(const free_word& w) {
  return w.dirty | w.clean;
}

constexpr std::size_t words_for(std::size_t slices) {
  return (slices + 63) / 64;
}

/// The sets of slices in which runs are looked for.
enum free_set : unsigned { set_any, set_dirty, set_count };

/// Finds long runs of free slices without a look at every slice. Lies in the range's hole, with
/// the nodes of the tree behind it. Knows each change of a word, or has it among the changed ones.
struct range_index {
  using tree_of_runs = run_tree<set_count>;
  static constexpr std::size_t changed_slots = 64;

  tree_of_runs tree;
  std::size_t mapped = 0;  // bytes, this object and the nodes
  // Words that the tree does not know yet: one for each node, in slot `node % changed_slots`.
  std::uint32_t changed[changed_slots] = {};
  std::uint64_t filled = 0;  // the set of slots that have one
};

/// Address space from `base` on; slices below `slices` are mapped and have records. Nothing beyond
/// is: the range lies in a hole of the address space and is mapped on as it grows, so that the
/// process looks no larger than it is, and address-space limits hold. docs/design/spans.md.
/// The hole has room, in this order, for free words, the index, records, slices. The first
/// slice begins where a huge page can.
struct range {
  static constexpr std::size_t few_words = 16;
  // Debug information has the constants of a class, but no others that no code refers to.
  static constexpr std::size_t bytes_of_slice = slice_bytes;

  std::uintptr_t base = 0;
  atomic<std::size_t> slices{0};  // a live block's slice is always below it
  record* records = nullptr;
  free_word* words = nullptr;
  range_index* index = nullptr;  // null until a search goes far
  free_word* words_room = nullptr;
  char* index_room = nullptr;
  std::size_t capacity = 0;                          // slices the hole has room for
  std::size_t words_mapped = 0, records_mapped = 0;  // bytes
  run_starts starts[set_count];
  // The words of a range of up to 64 MiB: those of most processes need no OS page of their own.
  free_word first_words[few_words] = {};

  std::size_t committed() const { return slices.load(relaxed); }
  std::uint64_t word_at(unsigned set, std::size_t k) const {
    return set == set_dirty ? words[k].dirty : any_free(words[k]);
  }
  char* address_of(const record* of) const {
    return reinterpret_cast<char*>(base + (static_cast<std::size_t>(of - records) << slice_shift));
  }
};

inline constexpr std::size_t max_ranges = 64;

/// The range that the fast paths know, and those that follow only when address space is scarce, in
/// memory of their own: few processes have them.
[[gnu::visibility("hidden")]] extern range main_range;
[[gnu::visibility("hidden")]] extern range* further_ranges;
[[gnu::visibility("hidden")]] extern atomic<std::size_t> range_count;

/// All ranges by number, below range_count: number 0 is the main one.
struct numbered_ranges {
  [[gnu::always_inline]] range& operator[](std::size_t k) const {
    if (__builtin_constant_p(k) && k == 0) return main_range;
    return numbered(k);
  }
  HS_HIDDEN static range& numbered(std::size_t k);
};
inline constexpr numbered_ranges ranges;

/// The slice number of `p`; nonsense unless is_slice() says otherwise.
[[gnu::always_inline]] inline std::size_t slice_of(std::uintptr_t base, const void* p) {
  return (reinterpret_cast<std::uintptr_t>(p) - base) >> slice_shift;
}
[[gnu::always_inline]] inline std::size_t slice_of(const range& r, const void* p) {
  return slice_of(r.base, p);
}

/// Whether `i` is a slice with a record: one comparison that null and foreign pointers fail.
[[gnu::always_inline]] inline bool is_slice(const range& r, std::size_t i) {
  // relaxed: the pointer reached us from its allocation, which came after the growth it needed.
  return is_below(i, r.slices);
}

/// The record of the slice that holds `p` in any range, or null.
HS_HIDDEN record* find_anywhere(const void* p);

/// The range that has this record.
HS_HIDDEN range& range_of(const record* r);

/// The slices of all ranges that are mapped. Any thread; a hint.
std::size_t committed_slices();

/// Finds a hole for a further range of at least `slices`; null if no hole exists. Spans lock held.
range* add_range_locked(std::size_t slices);

/// Calls `change(word, mask)` for the words of slices [first, first + n), and notes that they
/// change.
template <class Change>
void change_words_locked(range& r, std::size_t first, std::size_t n, Change change);

// index.cpp

/// The room that the index of a range of `slices` takes.
std::size_t index_bytes(std::size_t slices);

/// Word `k` has changed. Complexity: at most one update of the index; none while at most 64 nodes,
/// or 2 GiB side by side, change between two searches.
HS_HIDDEN void note_change_locked(range& r, std::uint32_t k);

/// Maps the index, if there is one, for `slices` slices. False: refused.
bool map_index_locked(range& r, std::size_t slices);

/// The lowest run of `n` slices of a set in [from, end), found through the index, which is made for
/// the first search. Complexity: logarithmic in the slices, and an update of the index for at most
/// 64 nodes that have changed; linear if the OS refuses the index memory.
std::size_t find_far_locked(range& r, unsigned set, std::size_t from, std::size_t end,
                            std::size_t n);

// search.cpp

/// Slices [first, first + n) have joined a set.
void note_run_locked(range& r, unsigned set, std::size_t first, std::size_t n);

/// The first run that has room for `n` slices at a multiple of `align` slices; no_run: none has.
HS_HIDDEN std::size_t find_free_locked(range& r, std::size_t n, std::size_t align, bool dirty_only);

// range.cpp

/// Maps on an array that starts at `start`, so that `bytes` of it are mapped. False: refused.
bool map_on(void* start, std::size_t& mapped, std::size_t bytes);

/// Maps at least `slices` more slices of `r`, as clean free ones. False when refused or full.
bool grow_range_locked(range& r, std::size_t slices);

template <class Change>
void change_words_locked(range& r, std::size_t first, std::size_t n, Change change) {
  for_each_word(first, n, [&](std::size_t k, std::uint64_t mask) {
    change(r.words[k], mask);
    if (r.index != nullptr) note_change_locked(r, static_cast<std::uint32_t>(k));
  });
}

}  // namespace heapsmith::spans
