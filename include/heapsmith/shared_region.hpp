// A malloc in memory that several processes map, as a resource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/region.h"
#include "heapsmith/resource.hpp"
#include "heapsmith/shared_region.h"

namespace heapsmith {

/**
 * One process's handle to a region in a segment that several processes map, each where it likes.
 *
 * See hs_shared_region, which it wraps: what one process allocates another may free, and one that
 * is killed, at any instruction, leaves the region usable to the others. A handle copies, and its
 * end ends nothing; copies are equal, and so are all handles of a process to one mapping.
 *
 * What goes into a segment must not contain addresses: neither pointers (store offsets), nor
 * virtual functions, nor standard containers with this resource, unless one process alone uses
 * them.
 *
 * Errors: std::bad_alloc from the throwing forms; nothing has changed then. create and attach
 * return an error number, which `describe` puts in words.
 * Complexity: that of region, and a lock and an unlock of a process-shared mutex.
 * Thread safety: any thread of any process, but for create, attach_alone and destroy.
 * Source: POSIX robust mutexes; offsets instead of addresses as in Boost.Interprocess.
 *
 * ```cpp
 * const int file = memfd_create("shop", 0);                  // passed on to the other process
 * ftruncate(file, 1 << 20);
 * const auto map = [&] {
 *   return mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
 * };
 * heapsmith::shared_region shop;
 * if (const int error = shop.create(map(), 1 << 20); error != 0) throw shop.describe(error);
 * shop.set_root(0, new (shop.allocate(sizeof(order))) order{});
 *
 * heapsmith::shared_region same;                             // in the other process
 * same.attach(map(), 1 << 20);
 * auto* first = static_cast<order*>(same.root(0));
 * ```
 */
class shared_region {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;
  static constexpr bool is_thread_safe = true;
  static constexpr unsigned roots = HS_SHARED_REGION_ROOTS;

  /// A handle to nothing: every request fails.
  shared_region() noexcept = default;

  /// Effects: makes a region in the segment. Returns: 0, or why not: see hs_shared_region_create.
  [[nodiscard]] int create(void* segment, std::size_t bytes) noexcept {
    return hs_shared_region_create(&control_, segment, bytes);
  }
  /// Effects: uses the region in the segment. Returns: 0, or why not: see hs_shared_region_attach.
  [[nodiscard]] int attach(void* segment, std::size_t bytes) noexcept {
    return hs_shared_region_attach(&control_, segment, bytes);
  }
  /// As attach, for the only process: after a restart of the system, which forgets who held locks.
  [[nodiscard]] int attach_alone(void* segment, std::size_t bytes) noexcept {
    return hs_shared_region_attach_alone(&control_, segment, bytes);
  }
  /// Effects: this becomes a handle to nothing; the region stays.
  void detach() noexcept { hs_shared_region_detach(&control_); }
  /// Effects: ends the region. Requires: no other process uses it.
  void destroy() noexcept { hs_shared_region_destroy(&control_); }
  /// Returns: what an error means, in English.
  [[nodiscard]] static const char* describe(int error) noexcept {
    return hs_shared_region_error(error);
  }

  /// Requires: `align` is a power of two, and the segment mapped at a multiple of it.
  /// Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) const {
    return or_throw(try_allocate(bytes, align));
  }

  /// As allocate; nullptr instead of std::bad_alloc.
  [[nodiscard]] void* try_allocate(std::size_t bytes,
                                   std::size_t align = min_alignment) const noexcept {
    return align <= min_alignment ? hs_shared_region_malloc(&control_, some(bytes))
                                  : hs_shared_region_aligned_alloc(&control_, align, some(bytes));
  }

  /// Effects: ends the block at `p`, whoever allocated it; nullptr: nothing.
  void deallocate(void* p, std::size_t /*bytes*/,
                  std::size_t /*align*/ = min_alignment) const noexcept {
    hs_shared_region_free(&control_, p);
  }
  void deallocate(void* p) const noexcept { hs_shared_region_free(&control_, p); }

  /// Returns: true when the block is now new_bytes long, where it was: longer or shorter.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) const noexcept {
    return hs_shared_region_try_expand(&control_, p, some(new_bytes)) == 0;
  }

  /// Effects: resizes in place or moves, keeping contents; nullptr allocates.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) const {
    return or_throw(align <= min_alignment
                        ? hs_shared_region_realloc(&control_, p, some(new_bytes))
                        : hs_shared_region_aligned_realloc(&control_, p, align, some(new_bytes)));
  }

  /// Returns: a block and its usable bytes, which deallocate accepts too.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) const {
    void* p = allocate(bytes, align);
    return {p, usable_size(p)};
  }

  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept {
    return hs_shared_region_usable_size(&control_, p);
  }
  /// Returns: whether `p` points into the segment's blocks as this process maps them.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    return hs_shared_region_owns(&control_, p) != 0;
  }

  /// Returns: what names the place in every process; 0 for nullptr.
  [[nodiscard]] std::uint64_t to_offset(const void* p) const noexcept {
    return hs_shared_region_to_offset(&control_, p);
  }
  /// Returns: the place in this mapping; nullptr for 0 and for what is not in the segment.
  [[nodiscard]] void* from_offset(std::uint64_t offset) const noexcept {
    return hs_shared_region_from_offset(&control_, offset);
  }

  /// Effects: stores where other processes find what `p` points to; they see all that was written
  /// before. Requires: index < roots.
  void set_root(unsigned index, const void* p) const noexcept {
    hs_shared_region_set_root(&control_, index, p);
  }
  [[nodiscard]] void* root(unsigned index) const noexcept {
    return hs_shared_region_root(&control_, index);
  }
  /// Effects: set_root if the root is still `expected`. Returns: whether it was.
  bool replace_root(unsigned index, const void* expected, const void* p) const noexcept {
    return hs_shared_region_replace_root(&control_, index, expected, p) == 0;
  }

  /// Effects: ends all blocks, of all processes; roots become nullptr.
  void reset() const noexcept { hs_shared_region_reset(&control_); }
  /// Effects: joins deferred blocks with their free neighbours.
  /// Returns: the largest size that a request can now have.
  std::size_t defragment() const noexcept { return hs_shared_region_defragment(&control_); }

  [[nodiscard]] hs_region_statistics stats() const noexcept {
    hs_region_statistics out = {};
    out.size = sizeof out;
    hs_shared_region_stats(&control_, &out);
    return out;
  }
  /// Returns: how often a process died in a call, and another one mended what it left.
  [[nodiscard]] std::uint64_t recoveries() const noexcept {
    return hs_shared_region_recoveries(&control_);
  }

  /// Effects: calls `visit(const hs_region_block&)` for every block, under the lock.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    const auto call = [](void* context, const hs_region_block* block) {
      (*static_cast<std::remove_reference_t<Visit>*>(context))(*block);
    };
    using visitor = std::remove_cv_t<std::remove_reference_t<Visit>>;
    hs_shared_region_for_each_block(&control_, call,
                                    const_cast<visitor*>(detail::address_of(visit)));  // NOLINT
  }

  /// Returns: 0, or the number of a broken invariant; see hs_region_invariant.
  [[nodiscard]] int check() const noexcept { return hs_shared_region_check(&control_); }

  /// The C region, for calls of the C API.
  [[nodiscard]] const hs_shared_region* native() const noexcept { return &control_; }

  friend bool operator==(const shared_region& a, const shared_region& b) noexcept {
    return a.control_.segment == b.control_.segment;
  }

 private:
  static void* or_throw(void* p) {
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }

  /// In C++ a block of no bytes is a block of its own.
  static constexpr std::size_t some(std::size_t bytes) { return bytes + (bytes == 0); }

  hs_shared_region control_ = {};
};

static_assert(resource<shared_region> && expanding_resource<shared_region> &&
              reallocating_resource<shared_region> && generous_resource<shared_region> &&
              owning_resource<shared_region> && resettable_resource<shared_region> &&
              measured_resource<shared_region>);

}  // namespace heapsmith
