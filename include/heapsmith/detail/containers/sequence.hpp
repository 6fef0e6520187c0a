// Shared by `stack` and `queue`: rows at the ends of a pool, with nothing else in it.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

namespace heapsmith::detail {

/// A pool that is in use from end to end. Every slot between the ends is live, so it has no free
/// list, whatever the kind of the pool.
template <class Derived, class Pool>
class sequence {
 public:
  using pool_type = Pool;
  using value_type = typename Pool::value_type;
  using reference = typename Pool::reference;
  using const_reference = typename Pool::const_reference;
  using iterator = typename Pool::const_iterator;

  [[nodiscard]] bool empty() const noexcept { return pool_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return pool_.size(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return pool_.capacity(); }
  [[nodiscard]] iterator begin() const noexcept { return pool_.begin(); }
  [[nodiscard]] iterator end() const noexcept { return pool_.end(); }
  [[nodiscard]] const pool_type& pool() const noexcept { return pool_; }

  /// Effects: constructs a row behind the last one. Errors: std::bad_alloc; aborts if a fixed pool
  /// is full.
  template <class... Arguments>
  void push(Arguments&&... arguments) {
    pool_.emplace_back(std::forward<Arguments>(arguments)...);
  }
  /// Returns: false, with nothing changed, if a fixed pool is full or memory cannot be obtained.
  template <class... Arguments>
  [[nodiscard]] bool try_push(Arguments&&... arguments) {
    return pool_.try_emplace_back(std::forward<Arguments>(arguments)...).has_value();
  }

  void clear() noexcept { pool_.clear(); }
  /// Effects: gives back the memory that the pool does not need.
  void shrink_to_fit() noexcept
    requires(!Pool::policy_type::is_fixed)
  {
    pool_.shrink_to_fit();
  }

  /// As those of `pool`. Requires: rows are trivially copyable.
  [[nodiscard]] Derived clone() const { return Derived(pool_.clone()); }
  [[nodiscard]] std::size_t image_bytes() const noexcept { return pool_.image_bytes(); }
  void save(std::span<std::byte> out) const { pool_.save(out); }
  [[nodiscard]] bool load(std::span<const std::byte> image) { return pool_.load(image); }

  [[nodiscard]] int check() const noexcept { return pool_.check(); }

 protected:
  template <class... Arguments>
    requires std::constructible_from<Pool, Arguments...>
  explicit sequence(Arguments&&... arguments) : pool_(std::forward<Arguments>(arguments)...) {}

  Pool pool_;
};

}  // namespace heapsmith::detail
