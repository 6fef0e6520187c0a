// Finds runs of free slices: near by the words, far by the index. docs/design/spans.md
#include <algorithm>

#include "base/bit_runs.hpp"
#include "spans/range.hpp"

namespace heapsmith::spans {
namespace {

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

/// How many slices directly before slice `i` are in the set, as far as two words tell.
std::size_t ones_before(const range& r, unsigned set, std::size_t i) {
  if (i == 0) return 0;
  const std::size_t k = (i - 1) / 64, bits = (i - 1) % 64 + 1;
  const auto ones = static_cast<std::size_t>(std::countl_one(r.word_at(set, k) << (64 - bits)));
  if (ones < bits || k == 0) return std::min(ones, bits);
  return bits + static_cast<std::size_t>(std::countl_one(r.word_at(set, k - 1)));
}

/// How many slices from slice `i` on are in the set, as far as two words tell.
std::size_t ones_from(const range& r, unsigned set, std::size_t i) {
  if (i >= r.committed()) return 0;
  const std::size_t k = i / 64, bits = 64 - i % 64;
  const auto ones = static_cast<std::size_t>(std::countr_one(r.word_at(set, k) >> (i % 64)));
  if (ones < bits || i + bits >= r.committed()) return ones;
  return bits + static_cast<std::size_t>(std::countr_one(r.word_at(set, k + 1)));
}

}  // namespace

void note_run_locked(range& r, unsigned set, std::size_t first, std::size_t n) {
  const std::size_t before = ones_before(r, set, first), after = ones_from(r, set, first + n);
  r.starts[set].lower(before + n + after, first - before);
  // The run may be longer than two words tell. Its parts had begun where shorter ones may.
  if (std::max(before, after) > 64) r.starts[set].forget_long();
}

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

}  // namespace heapsmith::spans
