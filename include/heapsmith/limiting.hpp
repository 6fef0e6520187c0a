// A resource that hands out no more than a budget of another one's memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <utility>

#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Gives its blocks no more than `limit_bytes` at a time, in bytes that were asked for.
 *
 * # Operations
 * Those of `R`: try_expand, reallocate, owns, release and reset among them. set_limit changes the
 * budget, also to less than is in use; base reaches the resource. Not allocate_at_least: a block
 * that may be deallocated with several sizes has no share of a budget.
 *
 * Errors: std::bad_alloc, or nullptr or false, when the budget is used up; and those of `R`.
 * Thread safety: that of one thread; synchronized<limiting<R>> is for many.
 *
 * ```cpp
 * heapsmith::limiting<heapsmith::global_heap> plugin_memory(64 << 20);
 * plugin.run(heapsmith::resource_ref(plugin_memory));
 * ```
 */
template <resource R>
class limiting {
 public:
  static constexpr std::size_t min_alignment = resource_traits<R>::min_alignment;

  /// Effects: constructs the resource from the arguments behind the limit.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit limiting(std::size_t limit_bytes, Arguments&&... arguments)
      : resource_(std::forward<Arguments>(arguments)...), limit_bytes_(limit_bytes) {}

  limiting(const limiting&) = delete;
  limiting& operator=(const limiting&) = delete;
  ~limiting() = default;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    if (!has_room(bytes)) throw std::bad_alloc();
    void* p = resource_.allocate(bytes, align);
    in_use_bytes_ += bytes;
    return p;
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    if (!has_room(bytes)) return nullptr;
    void* p = resource_.try_allocate(bytes, align);
    if (p != nullptr) in_use_bytes_ += bytes;
    return p;
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    in_use_bytes_ -= bytes;
    resource_.deallocate(p, bytes, align);
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept
    requires expanding_resource<R>
  {
    if (!has_room_to_grow(old_bytes, new_bytes) ||
        !resource_.try_expand(p, old_bytes, new_bytes, align))
      return false;
    in_use_bytes_ += new_bytes - old_bytes;
    return true;
  }

  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align)
    requires reallocating_resource<R>
  {
    if (!has_room_to_grow(old_bytes, new_bytes)) throw std::bad_alloc();
    void* moved = resource_.reallocate(p, old_bytes, new_bytes, align);
    in_use_bytes_ += new_bytes - old_bytes;
    return moved;
  }

  [[nodiscard]] bool owns(const void* p) const noexcept
    requires owning_resource<R>
  {
    return resource_.owns(p);
  }

  void release() noexcept
    requires releasing_resource<R>
  {
    resource_.release();
    in_use_bytes_ = 0;
  }

  void reset() noexcept
    requires resettable_resource<R>
  {
    resource_.reset();
    in_use_bytes_ = 0;
  }

  [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] std::size_t in_use_bytes() const noexcept { return in_use_bytes_; }

  /// Effects: blocks in use stay; requests fail for as long as they exceed the limit.
  void set_limit(std::size_t limit_bytes) noexcept { limit_bytes_ = limit_bytes; }

  [[nodiscard]] R& base() noexcept { return resource_; }
  [[nodiscard]] const R& base() const noexcept { return resource_; }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  bool has_room(std::size_t bytes) const noexcept {
    return in_use_bytes_ <= limit_bytes_ && bytes <= limit_bytes_ - in_use_bytes_;
  }
  bool has_room_to_grow(std::size_t old_bytes, std::size_t new_bytes) const noexcept {
    return new_bytes <= old_bytes || has_room(new_bytes - old_bytes);
  }

  R resource_;
  std::size_t limit_bytes_;
  std::size_t in_use_bytes_ = 0;
};

}  // namespace heapsmith
