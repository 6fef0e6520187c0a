// Arenas that bring memory along: within the object, or one block taken when they are made.
#pragma once

#include <concepts>
#include <cstddef>

#include "heapsmith/arena.hpp"

namespace heapsmith {

/**
 * An arena whose first `Bytes` bytes are part of the object: on the stack, nothing is allocated
 * until they are used up. With null_resource as upstream nothing ever is.
 *
 * All else is as for `arena<Upstream>`, which it is: a scope opens on it alike. The memory is not
 * initialised; constructing one is a dozen stores.
 * Source: the short vectors of LLVM; Hinnant's short_alloc.
 *
 * ```cpp
 * heapsmith::inline_arena<1024> scratch;
 * void* p = scratch.allocate(100);  // on the stack
 * ```
 */
template <std::size_t Bytes, resource Upstream = default_resource>
class inline_arena : public arena<Upstream> {
 public:
  static constexpr std::size_t inline_bytes = Bytes;

  // NOLINTBEGIN(clang-analyzer-optin.cplusplus.UninitializedObject): memory, not a value
  inline_arena() noexcept
    requires std::default_initializable<detail::upstream<Upstream>>
      : arena<Upstream>(storage_, Bytes) {}
  explicit inline_arena(Upstream& up) noexcept : arena<Upstream>(storage_, Bytes, up) {}
  explicit inline_arena(const Upstream& up) noexcept
    requires std::copy_constructible<Upstream>
      : arena<Upstream>(storage_, Bytes, up) {}
  // NOLINTEND(clang-analyzer-optin.cplusplus.UninitializedObject)

 private:
  static_assert(Bytes > 0, "an arena without memory of its own is an arena<Upstream>");
  alignas(std::max_align_t) std::byte storage_[Bytes];
};

namespace detail {

/// One block of an upstream, for as long as this object lives.
template <resource Upstream>
class owned_block {
 protected:
  owned_block(std::size_t bytes, const upstream<Upstream>& up)
      : upstream_(up), bytes_(bytes), block_(upstream_->allocate(bytes, align)) {}
  owned_block(const owned_block&) = delete;
  owned_block& operator=(const owned_block&) = delete;
  ~owned_block() { upstream_->deallocate(block_, bytes_, align); }

  [[no_unique_address]] upstream<Upstream> upstream_;
  std::size_t bytes_;
  void* block_;

 private:
  static constexpr std::size_t align = alignof(std::max_align_t);
};

}  // namespace detail

/**
 * A linear arena over one block of `bytes` bytes, which is taken when the arena is made and never
 * grows: the memory a program needs is known, and needing more is a mistake to be heard of.
 *
 * All else is as for `arena<null_resource>`, which it is.
 * Errors: the constructor throws what `Upstream` throws; allocate throws arena_exhausted, whose
 * what() says how much was asked for and how much was left.
 *
 * ```cpp
 * heapsmith::fixed_arena frame_memory(1 << 20);
 * ```
 */
template <resource Upstream = default_resource>
class fixed_arena : private detail::owned_block<Upstream>, public arena<null_resource> {
 public:
  explicit fixed_arena(std::size_t bytes)
    requires std::default_initializable<detail::upstream<Upstream>>
      : fixed_arena(bytes, detail::upstream<Upstream>()) {}
  fixed_arena(std::size_t bytes, Upstream& up)
      : fixed_arena(bytes, detail::upstream<Upstream>(up)) {}

 private:
  fixed_arena(std::size_t bytes, const detail::upstream<Upstream>& up)
      : detail::owned_block<Upstream>(bytes, up),
        arena<null_resource>(detail::owned_block<Upstream>::block_, bytes) {}
};

fixed_arena(std::size_t) -> fixed_arena<>;

}  // namespace heapsmith
