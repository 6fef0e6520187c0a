// Steps on typed pools with narrow indices and odd rows, which take steps themselves, and a model.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"
#include "pool_rows.hpp"
#include "steps.hpp"
#include "tape.hpp"

namespace heapsmith::fuzz {
namespace {

template <class Pool>
class stepper {
  using policy = typename Pool::policy_type;
  using index = typename Pool::index_type;
  using value = typename Pool::value_type;
  static constexpr bool reuses = policy::reuses;
  static constexpr bool has_handles = policy::has_handles;
  /// Code within an operation may add rows: the pool does not have to move others.
  static constexpr bool adds_within = policy::is_stable || policy::is_fixed;

 public:
  explicit stepper(tape from) : tape_(from), pool_(policy::is_fixed ? 1 + tape_.below(80) : 0) {}

  void run() {
    the_world.when_made = [this](bool may_throw) { made(may_throw); };
    the_world.when_ended = [this](bool) { ended(); };
    while (!tape_.is_empty()) {
      step(tape_.byte());
      compare();
    }
    within_clear_ = true;
    pool_.clear();
    the_world.when_made = the_world.when_ended = nullptr;
    if (!pool_.empty() || the_world.rows != 0) wrong("a row outlives its pool");
  }

 private:
  enum class place { any, back, front, handle };

  void step(unsigned what) {
    what %= 24;
    if (what < 8) return add(place::any);
    if (what < 10) return add(place::back);
    if (what < 11) return add(place::front);
    if (what < 12) return add(place::handle);
    if (what < 16) return erase_any();
    if (what < 18) return pop(what == 16);
    if (what < 19) return tape_.byte() % 16 == 0 ? clear() : move_pool();
    if (what < 20) return shrink();
    if (what < 21) return copy();
    look();
  }

  void shrink() {
    if constexpr (requires(Pool& p) { p.shrink_to_fit(); }) pool_.shrink_to_fit();
  }

  std::optional<index> try_add(place where, busy_number n) {
    if (where == place::back) return pool_.try_emplace_back(n);
    if constexpr (!policy::is_one_ended)
      if (where == place::front) return pool_.try_emplace_front(n);
    if constexpr (has_handles)
      if (where == place::handle) {
        const auto h = pool_.try_emplace_handle(n);
        if (h) handles_.push_back({*h, n.n});
        return h ? std::optional(static_cast<index>(h->index())) : std::nullopt;
      }
    return pool_.try_emplace(n);
  }

  void add(place where) {
    const std::uint32_t number = ++numbers_;
    std::optional<index> i;
    const std::size_t before = added_;
    ++depth_;
    try {
      i = try_add(where, busy_number{number});
    } catch (const std::runtime_error&) {
      --depth_;
      return;
    }
    --depth_;
    if (!i) {
      const std::size_t window = static_cast<index>(pool_.end_index() - pool_.begin_index());
      if (!policy::is_fixed && depth_ == 0 && before == added_ && window + 140 < Pool::max_size())
        wrong("a row was refused though there is room");
      return;
    }
    ++added_;
    if (!within_clear_ && !rows_.emplace(*i, number).second) wrong("an index was given twice");
  }

  void erase_any() {
    if (rows_.empty()) return;
    if constexpr (reuses) {
      auto it = rows_.lower_bound(static_cast<index>(tape_.byte()));
      if (it == rows_.end()) it = rows_.begin();
      const index i = it->first;
      rows_.erase(it);
      ++depth_;
      pool_.erase(i);
      --depth_;
    } else {
      pop(tape_.byte() % 2 == 0);
    }
  }

  void pop(bool back) {
    constexpr bool has_front = !policy::is_one_ended || policy::is_ring;
    if (rows_.empty()) return;
    auto it = pool_.begin();
    if (back || !has_front) {
      it = pool_.end();
      --it;
    }
    if (rows_.erase(it.index_of()) != 1) wrong("the row at an end is not in the model");
    ++depth_;
    (back || !has_front) ? popping_back_ = true : popping_front_ = true;
    if (back || !has_front)
      pool_.pop_back();
    else if constexpr (has_front)
      pool_.pop_front();
    popping_back_ = popping_front_ = false;
    --depth_;
  }

  void clear() {
    within_clear_ = true;
    rows_.clear();
    ++depth_;
    pool_.clear();
    --depth_;
    within_clear_ = false;
    if (!pool_.empty()) wrong("clear() leaves rows");
  }

  void move_pool() {
    Pool other(std::move(pool_));
    if (!pool_.empty()) wrong("a moved-from pool has rows");
    pool_ = std::move(other);
  }

  /// Images and copies; a damaged image is refused or can be walked.
  void copy() {
    if constexpr (Pool::layout_type::is_plain_memory) {
      const Pool same = pool_.clone();
      if (same.check() != 0 || same.size() != pool_.size()) wrong("a clone differs");
      std::vector<std::byte> image(pool_.image_bytes());
      pool_.save(image);
      Pool loaded(policy::is_fixed ? pool_.capacity() : 0);
      if (!loaded.load(image)) wrong("an image is refused");
      if (loaded.check() != 0 || loaded.size() != pool_.size()) wrong("an image differs");
      image[tape_.below(image.size())] ^= static_cast<std::byte>(1 + tape_.byte() % 255);
      if (loaded.load(image) && loaded.check() != 0) wrong("a damaged image is accepted");
      for (auto it = loaded.begin(); it != loaded.end(); ++it) number_at(it);
    }
  }

  void look() {
    const index i = static_cast<index>(tape_.byte());
    const auto it = rows_.find(i);
    if (pool_.contains(i) != (it != rows_.end())) wrong("contains() is wrong");
    if ((pool_.get(i) ? true : false) != (it != rows_.end())) wrong("get() is wrong");
    if constexpr (has_handles)
      for (const auto& [h, n] : handles_) {
        const auto row = rows_.find(static_cast<index>(h.index()));
        if (pool_.contains(h) != (row != rows_.end() && row->second == n))
          wrong("a handle is wrong");
      }
    if (handles_.size() > 40) handles_.clear();
  }

  void compare() {
    if (pool_.check() != 0) wrong("check() fails");
    if (pool_.size() != rows_.size()) wrong("the size is wrong");
    std::size_t n = 0;
    for (auto it = pool_.begin(); it != pool_.end(); ++it, ++n) {
      const auto row = rows_.find(it.index_of());
      if (row == rows_.end() || row->second != number_at(it)) wrong("a row is wrong");
    }
    if (n != rows_.size()) wrong("a walk is too short");
    if (counts_rows && the_world.rows != static_cast<long>(n)) wrong("rows were lost");
  }

  static constexpr bool counts_rows = !std::is_trivially_copyable_v<value>;
  static std::uint32_t number_at(const auto& it) {
    if constexpr (Pool::is_soa)
      return (*it).template get<0>().number();
    else
      return (*it).number();
  }

  /// A constructor or a conversion is running.
  void made(bool may_throw) {
    if (depth_ > 4) return;
    const unsigned what = tape_.byte();
    const std::size_t before = added_;
    if (what % 4 == 1) within();
    if (may_throw && what % 8 == 1 && (reuses || added_ == before) && depth_ != 0)
      throw std::runtime_error("no");
  }
  void ended() {
    if (depth_ > 4 || depth_ == 0) return;
    if (tape_.byte() % 4 == 1) within();
  }

  void within() {
    const unsigned what = tape_.byte() % 8;
    if (what < 4 && adds_within) {
      place where = what == 0 ? place::back : what == 1 ? place::front : place::any;
      if constexpr (!reuses) {
        // Not at the end where a row is being ended; clear() begins at the front.
        if (popping_back_) where = place::front;
        if (popping_front_ || within_clear_) where = place::back;
        if (policy::is_one_ended && where == place::front) return;
      }
      add(where);
    } else if (what < 6 && reuses && !within_clear_) {
      what == 4 ? erase_any() : pop(tape_.byte() % 2 == 0);
    } else {
      shrink();
      if (!reuses) return;  // the row that is being made counts already
      for (auto it = pool_.begin(); it != pool_.end(); ++it) number_at(it);
    }
  }

  tape tape_;
  Pool pool_;
  std::map<index, std::uint32_t> rows_;
  struct named {
    typename Pool::handle_type handle;
    std::uint32_t number;
  };
  std::vector<named> handles_;
  std::uint32_t numbers_ = 0;
  std::size_t added_ = 0;
  int depth_ = 0;
  bool within_clear_ = false, popping_back_ = false, popping_front_ = false;
};

using narrow = policy::index<std::uint8_t>;
using short_index = policy::index<std::uint16_t>;

template <class... Pools>
struct kinds {
  static void run(unsigned which, tape from) {
    unsigned k = 0;
    static_cast<void>(
        ((k++ == which % sizeof...(Pools) && (stepper<Pools>(from).run(), true)) || ...));
  }
};
using all_kinds = kinds<
    pool<plain_row, narrow>, pool<plain_row, narrow, policy::stable>, pool<wide_row, narrow>,
    pool<wide_row, short_index, policy::stable>, pool<greedy_row, narrow, policy::with_handles>,
    pool<greedy_row, narrow, policy::with_handles, policy::stable>,
    pool<rooted_row, narrow, policy::stable>, fixed_pool<rooted_row, narrow>,
    fixed_pool<greedy_row, narrow, policy::ring>, deque_pool<plain_row, narrow>,
    deque_pool<wide_row, narrow>, deque_pool<greedy_row, short_index, policy::stable>,
    fixed_deque_pool<greedy_row, narrow, policy::ring>, fixed_deque_pool<rooted_row, narrow>,
    pool<greedy_row, narrow, policy::one_ended>,
    pool<greedy_row, policy::one_ended, policy::stable>,
    fixed_pool<plain_row, short_index, policy::with_handles>, soa_pool<greedy_row, narrow>,
    soa_pool<plain_row, narrow, policy::with_handles>, soa_deque_pool<greedy_row, short_index>,
    soa_pool<greedy_row, narrow, policy::stable>, soa_fixed_pool<greedy_row, narrow, policy::ring>,
    soa_fixed_deque_pool<greedy_row, policy::ring>>;

}  // namespace

void run(const std::uint8_t* bytes, std::size_t length) {
  if (length == 0) return;
  all_kinds::run(bytes[0], tape(bytes + 1, length - 1));
}

}  // namespace heapsmith::fuzz
