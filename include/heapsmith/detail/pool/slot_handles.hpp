// Generation-checked handles for typed pools: making, checking and ending them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/slot_pool.hpp"

namespace heapsmith::detail {

/// A pool with operations on `Handle`. A stale or foreign handle stops the process, but in
/// contains() and find(), which ask.
template <class Layout, class Policy, class Handle>
class handle_pool : public slot_pool<Layout, Policy> {
  using base = slot_pool<Layout, Policy>;

 public:
  using index_type = typename base::index_type;
  using reference = typename base::reference;
  using const_reference = typename base::const_reference;
  using handle_type = Handle;

  using base::base;
  using base::contains;
  using base::deallocate;
  using base::operator[];

  static_assert(!Policy::has_handles || sizeof(index_type) <= sizeof(std::uint32_t),
                "a handle holds 32 bits of index");

  /// Effects: as allocate_end. Returns: the handle of the new row.
  template <class... Arguments>
    requires Policy::has_handles
  Handle make(Arguments&&... arguments) {
    return named(this->allocate_end(std::forward<Arguments>(arguments)...));
  }
  template <class... Arguments>
    requires Policy::has_handles
  std::optional<Handle> try_make(Arguments&&... arguments) {
    const auto i = this->try_allocate_end(std::forward<Arguments>(arguments)...);
    return i ? std::optional(named(*i)) : std::nullopt;
  }

  /// Returns: the handle of the row in slot `i`; stops when the slot is not live.
  [[nodiscard]] Handle handle_of(index_type i) const noexcept
    requires Policy::has_handles
  {
    this->require_live(i);
    return named(i);
  }

  /// Returns: whether the row that `h` was given out for still lives in this pool.
  [[nodiscard]] bool contains(Handle h) const noexcept
    requires Policy::has_handles
  {
    const auto i = static_cast<index_type>(h.index());
    return h.pool_id() == this->books_.id && i == h.index() && this->books_.is_live(i) &&
           this->books_.generation(i) == h.generation();
  }

  [[nodiscard]] reference operator[](Handle h) noexcept
    requires Policy::has_handles
  {
    require(h);
    return (*this)[static_cast<index_type>(h.index())];
  }
  [[nodiscard]] const_reference operator[](Handle h) const noexcept
    requires Policy::has_handles
  {
    require(h);
    return (*this)[static_cast<index_type>(h.index())];
  }

  /// Effects: ends the row; `h` and its copies are stale from then on.
  void deallocate(Handle h) noexcept
    requires Policy::has_handles
  {
    require(h);
    base::deallocate(static_cast<index_type>(h.index()));
  }

 protected:
  void require(Handle h) const noexcept {
    if (!contains(h)) [[unlikely]]
      refuse(h);
  }

 private:
  [[nodiscard]] Handle named(index_type i) const noexcept {
    return Handle(i, this->books_.generation(i), this->books_.id);
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(Handle h) const noexcept {
    if (!h) fatal("%s", "pool: null handle: it names no row of any pool");
    if (h.pool_id() != this->books_.id)
      fatal("pool: foreign handle: it is of pool %u, and this is pool %u", h.pool_id(),
            this->books_.id);
    fatal("pool: stale handle: slot %u had it in generation %u, and that has ended", h.index(),
          h.generation());
  }
};

}  // namespace heapsmith::detail
