// Arenas with memory of their own: inside the object, or one block taken when they are constructed.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include "heapsmith/arena.hpp"

namespace heapsmith {

/**
 * An arena whose first `Bytes` bytes are part of the object. An inline_arena on the stack allocates
 * nothing until they are used up; with null_resource as upstream it never allocates anything.
 *
 * It is an `arena<Upstream>`, with the same operations; a scope opens on it as on any arena.
 * The memory is not initialised. Construction is a dozen stores.
 * Source: the small vectors of LLVM; Hinnant's short_alloc.
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
  static_assert(Bytes > 0, "use arena<Upstream> for an arena without memory of its own");
  alignas(std::max_align_t) std::byte storage_[Bytes];
};

namespace detail {

/// One block of an upstream. The destructor deallocates it.
template <resource Upstream>
class owned_block {
 protected:
  static constexpr std::size_t align = alignof(std::max_align_t);

  owned_block(void* block, std::size_t bytes, const upstream<Upstream>& up) noexcept
      : upstream_(up), bytes_(bytes), block_(block) {}
  owned_block(const owned_block&) = delete;
  owned_block& operator=(const owned_block&) = delete;
  ~owned_block() { upstream_->deallocate(block_, bytes_, align); }

  [[no_unique_address]] upstream<Upstream> upstream_;
  std::size_t bytes_;
  void* block_;
};

}  // namespace detail

/**
 * An arena over one block of `bytes` bytes, which it takes when it is constructed. It never grows:
 * use it if you know how much memory the program needs, and needing more is a mistake.
 *
 * It is an `arena<null_resource>`, with the same operations.
 * Errors: the constructor throws what `Upstream` throws; allocate() throws arena_exhausted, whose
 * what() names the requested size and the bytes that remain.
 *
 * ```cpp
 * heapsmith::fixed_arena frame_memory(1 << 20);
 * ```
 */
template <resource Upstream = default_resource>
class fixed_arena : private detail::owned_block<Upstream>, public arena<null_resource> {
  using block = detail::owned_block<Upstream>;
  using upstream = detail::upstream<Upstream>;

  /// Only this class can name the constructor that std::optional calls.
  class taken {
    friend class fixed_arena;
    explicit taken(void* p) noexcept : at(p) {}
    void* at;
  };

 public:
  explicit fixed_arena(std::size_t bytes)
    requires std::default_initializable<upstream>
      : fixed_arena(bytes, upstream()) {}
  fixed_arena(std::size_t bytes, Upstream& up) : fixed_arena(bytes, upstream(up)) {}

  /**
   * Returns: an arena, or nothing if the upstream has no memory.
   *
   * ```cpp
   * if (auto buffer = heapsmith::fixed_arena<>::try_create(1 << 20)) buffer->make<int>(1);
   * ```
   */
  [[nodiscard]] static std::optional<fixed_arena> try_create(std::size_t bytes) noexcept
    requires std::default_initializable<upstream>
  {
    return try_create(bytes, upstream());
  }
  [[nodiscard]] static std::optional<fixed_arena> try_create(std::size_t bytes,
                                                             Upstream& up) noexcept {
    return try_create(bytes, upstream(up));
  }

  fixed_arena(taken memory, std::size_t bytes, const upstream& up) noexcept
      : block(memory.at, bytes, up), arena<null_resource>(memory.at, bytes) {}

 private:
  fixed_arena(std::size_t bytes, const upstream& up)
      : fixed_arena(taken(up->allocate(bytes, block::align)), bytes, up) {}

  static std::optional<fixed_arena> try_create(std::size_t bytes, const upstream& up) noexcept {
    void* const p = up->try_allocate(bytes, block::align);
    if (p == nullptr) return std::nullopt;
    return std::optional<fixed_arena>(std::in_place, taken(p), bytes, up);
  }
};

fixed_arena(std::size_t) -> fixed_arena<>;

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
