// Random takes, gives, extensions and purges against a model of every slice, which predicts the
// slices that each call must choose.
#include <gtest/gtest.h>
#include <string.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

enum class state : char { clean, dirty, used, room };

class spans_model {
 public:
  std::size_t size() const { return slices_.size(); }
  void grow_to(std::size_t n) { slices_.resize(n, state::clean); }

  /// The first run of `n` at a multiple of `align` slices' address; SIZE_MAX if no such run exists.
  std::size_t find(std::size_t n, std::size_t align, bool dirty_only) const {
    const std::size_t bias = ranges[0].base >> slice_shift;
    for (std::size_t i = 0; i + n <= size(); ++i)
      if ((i + bias) % align == 0 && is_free(i, n, dirty_only)) return i;
    return SIZE_MAX;
  }

  bool is_free(std::size_t first, std::size_t n, bool dirty_only) const {
    for (std::size_t i = first; i < first + n; ++i)
      if (i >= size() || slices_[i] == state::used || slices_[i] == state::room ||
          (dirty_only && slices_[i] == state::clean))
        return false;
    return true;
  }

  std::size_t count(state s) const {
    return static_cast<std::size_t>(std::count(slices_.begin(), slices_.end(), s));
  }

  void purge() { std::replace(slices_.begin(), slices_.end(), state::dirty, state::clean); }
  void set(std::size_t first, std::size_t n, state s) {
    std::fill_n(slices_.begin() + static_cast<std::ptrdiff_t>(first), n, s);
  }
  state at(std::size_t i) const { return slices_[i]; }

 private:
  std::vector<state> slices_;
};

struct held_span {
  record* first;
  std::size_t slices;
  unsigned char mark;
  std::size_t room = 0;
};

class TakeModel : public testing::Test {
 protected:
  static char* address(std::size_t slice) {
    return reinterpret_cast<char*>(ranges[0].base) + slice * slice_bytes;
  }
  static std::size_t slice_number(const record* r) {
    return static_cast<std::size_t>(r - ranges[0].records);
  }

  /// A mark at both ends of each slice: an overlap overwrites one of them.
  static void mark(std::size_t first, std::size_t n, unsigned char value) {
    for (std::size_t i = first; i < first + n; ++i) {
      memset(address(i), value, 64);
      memset(address(i + 1) - 64, value, 64);
    }
  }

  static void check_marks(const held_span& h) {
    const std::size_t at = slice_number(h.first);
    for (std::size_t i = at; i < at + h.slices; ++i)
      for (std::size_t k = 0; k < 64; ++k) {
        ASSERT_EQ(static_cast<unsigned char>(address(i)[k]), h.mark);
        ASSERT_EQ(static_cast<unsigned char>(*(address(i + 1) - 1 - k)), h.mark);
      }
  }

  void take_one() {
    const std::size_t n = random_() % 10 == 0 ? 1 + random_() % 200 : 1 + random_() % 12;
    const std::size_t align = random_() % 4 == 0 ? std::size_t{1} << random_() % aligns_ : 1;
    take_some(n, align, random_() % 4 == 0 ? growth::forbidden : growth::allowed);
  }

  void take_some(std::size_t n, std::size_t align, growth may_grow) {
    std::size_t expected = model_.find(n, align, true);
    if (expected == SIZE_MAX) expected = model_.find(n, align, false);
    const span sp = take(n, align, may_grow);
    model_.grow_to(ranges[0].committed());
    if (sp && align == 1 && forget_given(sp.first, n))
      return hold(sp.first, slice_number(sp.first), n);
    EXPECT_FALSE(align == 1 && must_find_given(n));
    complete();
    if (expected == SIZE_MAX) {
      ASSERT_EQ(static_cast<bool>(sp), may_grow == growth::allowed);
      if (!sp) return;
      expected = model_.find(n, align, false);
    }
    ASSERT_TRUE(sp);
    ASSERT_EQ(slice_number(sp.first), expected);
    ASSERT_EQ(sp.start, address(expected));
    ASSERT_EQ(sp.first->slices, n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(sp.slice_is_clean(i), model_.at(expected + i) == state::clean) << i;
      if (sp.slice_is_clean(i)) check_zero(expected + i);
    }
    hold(sp.first, expected, n);
  }

  void take_one_with_room() {
    const std::size_t n = 1 + random_() % 12, room = 1 + random_() % n;
    std::size_t expected = model_.find(n + room, 1, true);
    if (expected == SIZE_MAX) expected = model_.find(n + room, 1, false);
    const span sp = take(n, 1, growth::allowed, nullptr, room);
    model_.grow_to(ranges[0].committed());
    complete();
    if (expected == SIZE_MAX) expected = model_.find(n + room, 1, false);
    ASSERT_TRUE(sp);
    ASSERT_EQ(slice_number(sp.first), expected);
    ASSERT_EQ(sp.first->slices, n);
    ASSERT_EQ(sp.first->room, room);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(sp.slice_is_clean(i), model_.at(expected + i) == state::clean) << i;
    for (std::size_t i = 0; i < room; ++i) check_zero(expected + n + i);
    hold(sp.first, expected, n);
    held_.back().room = room;
    model_.set(expected + n, room, state::room);
  }

  static void check_zero(std::size_t slice) {
    static const char zeroes[slice_bytes] = {};
    ASSERT_EQ(memcmp(address(slice), zeroes, slice_bytes), 0);
  }

  /// The heap has entered all free spans into its words.
  void complete() {
    given_.clear();
    some_are_in_words_ = false;
  }

  /// Whether one of the spans given last has this length, so that a take must choose such a one.
  bool must_find_given(std::size_t n) const {
    return !some_are_in_words_ &&
           std::any_of(given_.begin(), given_.end(), [n](const auto& g) { return g.second == n; });
  }

  /// Whether a span of this length was given here since the words were complete. Then it no longer
  /// is.
  bool forget_given(const record* first, std::size_t n) {
    const auto at = std::find(given_.begin(), given_.end(), std::pair{first, n});
    if (at == given_.end()) return false;
    given_.erase(at);
    return true;
  }

  void hold(record* first, std::size_t at, std::size_t n) {
    model_.set(at, n, state::used);
    held_.push_back({first, n, ++last_mark_});
    mark(at, n, last_mark_);
  }

  void give_one() {
    if (held_.empty()) return;
    held_span& h = held_[random_() % held_.size()];
    check_marks(h);
    // Sometimes only the tail, as a large block that shrinks does.
    const std::size_t keep = random_() % 3 == 0 ? random_() % h.slices : 0;
    if (keep != 0) {
      trim(h.first, keep);
    } else {
      give(h.first);
      given_.emplace_back(h.first, h.slices);
      some_are_in_words_ |= given_.size() > given_spans::room;
    }
    model_.set(slice_number(h.first) + keep, h.slices - keep, state::dirty);
    model_.set(slice_number(h.first) + h.slices, h.room, state::clean);
    h.room = 0;
    ASSERT_EQ(h.first->room, 0u);
    if (keep != 0) {
      h.slices = keep;
      return;
    }
    const std::size_t n = h.slices;
    h = held_.back();
    held_.pop_back();
    if (random_() % 2 == 0) take_given(n);
  }

  /// Takes the length that was given last.
  void take_given(std::size_t n) {
    if (random_() % 2 == 0) return take_some(n, 1, growth::forbidden);
    record* const first = take_again(n);
    EXPECT_TRUE(first != nullptr || !must_find_given(n));
    if (first == nullptr) return;
    ++taken_again_;
    ASSERT_TRUE(forget_given(first, n));
    ASSERT_EQ(first->slices, n);
    hold(first, slice_number(first), n);
  }

  void extend_one() {
    if (held_.empty()) return;
    held_span& h = held_[random_() % held_.size()];
    const std::size_t more = 1 + random_() % 8, of_room = std::min(more, h.room);
    const std::size_t at = slice_number(h.first) + h.slices, end = at + h.room;
    const std::size_t further = more - of_room;
    const bool inside = end + further <= model_.size();
    const bool tail_free =
        end <= model_.size() && model_.is_free(end, std::min(further, model_.size() - end), false);
    const bool expected = inside ? model_.is_free(end, further, false) : tail_free;
    ASSERT_EQ(extend(h.first, more), expected);
    if (further != 0) complete();
    ASSERT_EQ(h.first->slices, h.slices + (expected ? more : 0));
    ASSERT_EQ(h.first->room, h.room - (expected ? of_room : 0));
    model_.grow_to(ranges[0].committed());
    if (!expected) return;
    model_.set(at, more, state::used);
    mark(at, more, h.mark);
    h.slices += more;
    h.room -= of_room;
  }

  void check_stats() {
    const span_stats c = stats();
    ASSERT_EQ(c.in_use_bytes, model_.count(state::used) * slice_bytes);
    ASSERT_EQ(c.cached_bytes, model_.count(state::dirty) * slice_bytes);
    ASSERT_EQ(c.committed_bytes, model_.size() * slice_bytes);
  }

  /// Takes more often than it gives while at most `much` spans are held.
  void work(int steps, std::size_t much) {
    for (int step = 0; step < steps; ++step) {
      const unsigned choice = random_() % 100;
      if (choice < 5)
        take_one_with_room();
      else if (choice < (held_.size() > much ? 25u : 45u))
        take_one();
      else if (choice < 80)
        give_one();
      else if (choice < 97)
        extend_one();
      else if (choice < 99) {
        ASSERT_EQ(purge(), model_.count(state::dirty) * slice_bytes);
        model_.purge();
        complete();
      }
      check_stats();
      if (HasFatalFailure()) FAIL() << "at step " << step;
    }
    for (const held_span& h : held_) check_marks(h);
  }

  std::mt19937 random_{7};
  spans_model model_;
  std::vector<held_span> held_;
  std::vector<std::pair<const record*, std::size_t>> given_;  // since the words were complete
  bool some_are_in_words_ = false;
  unsigned char last_mark_ = 0;
  unsigned taken_again_ = 0;
  unsigned aligns_ = 7;  // 1, 2, 4, … slices
};

TEST_F(TakeModel, EveryCallChoosesTheSlicesOfTheModel) {
  if (ranges[0].committed() != 0) GTEST_SKIP() << "ctest gives this test a process of its own";
  set_cache_cap(never_purge);  // purges happen when the test asks for them
  work(6000, 60);
  EXPECT_GT(taken_again_, 100u);
  EXPECT_EQ(range_count.load(relaxed), 1u);
}

TEST_F(TakeModel, TheIndexOfALongRangeKnowsEveryChange) {
  if (ranges[0].committed() != 0) GTEST_SKIP() << "ctest gives this test a process of its own";
  set_cache_cap(never_purge);
  aligns_ = 1;  // among many runs, the search for an aligned one may pass over the lowest
  for (int i = 0; i < 4000; ++i) take_some(1 + random_() % 3, 1, growth::allowed);
  // Runs of up to 200 slices lie behind thousands of short ones, where only the index looks.
  for (int i = 0; i < 800; ++i) give_one();
  work(3000, 3500);
  EXPECT_GT(taken_again_, 20u);
  EXPECT_NE(ranges[0].index, nullptr);
}

}  // namespace
}  // namespace heapsmith::spans
