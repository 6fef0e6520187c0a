// A resource that hands out no more than a budget of another one's memory.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <utility>

#include "heapsmith/decorator.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Owns a resource, and limits the bytes of its live blocks. Bytes are requested sizes.
 *
 * # Operations
 * Those of `R`, except allocate_at_least: such a block may be deallocated with several sizes, so
 * its bytes cannot be counted. base() returns the resource.
 *
 * Errors: throws std::bad_alloc, or returns nullptr or false, if the limit would be exceeded;
 * those of `R`.
 * Thread safety: none; use synchronized<limiting<R>> for many threads.
 *
 * ```cpp
 * heapsmith::limiting<heapsmith::global_heap> plugin_memory(64 << 20);
 * plugin.run(heapsmith::resource_ref(plugin_memory));
 * ```
 */
template <resource R>
class limiting : public decorator<limiting<R>, R> {
  using base_class = decorator<limiting<R>, R>;
  friend base_class;

 public:
  /// Effects: constructs the resource from the arguments behind the limit.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit limiting(std::size_t limit_bytes, Arguments&&... arguments)
      : base_class(std::forward<Arguments>(arguments)...), limit_bytes_(limit_bytes) {}

  sized_block allocate_at_least(std::size_t bytes, std::size_t align = 1) = delete;

  [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] std::size_t in_use_bytes() const noexcept { return in_use_bytes_; }

  /// Effects: changes the limit, which may be less than the bytes in use. Blocks in use stay valid;
  /// requests fail until the bytes in use are below the limit.
  void set_limit(std::size_t limit_bytes) noexcept { limit_bytes_ = limit_bytes; }

 private:
  /// old_bytes is 0 unless a block is resized.
  bool admits(const resource_event& e) const noexcept {
    const bool shrinks = e.old_pointer != nullptr && e.bytes <= e.old_bytes;
    return shrinks ||
           (in_use_bytes_ <= limit_bytes_ && e.bytes - e.old_bytes <= limit_bytes_ - in_use_bytes_);
  }

  void before_deallocate(const resource_event& e) noexcept { in_use_bytes_ -= e.bytes; }

  void note(const resource_event& e) noexcept {
    if (e.call == resource_call::release || e.call == resource_call::reset)
      in_use_bytes_ = 0;
    else
      in_use_bytes_ += e.bytes - e.old_bytes;
  }

  std::size_t limit_bytes_;
  std::size_t in_use_bytes_ = 0;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
