// A shared region as a C++ resource: malloc in memory that several processes map.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/or_throw.hpp"
#include "heapsmith/detail/region/visitor.hpp"
#include "heapsmith/region.h"
#include "heapsmith/resource.hpp"
#include "heapsmith/shared_region.h"

namespace heapsmith {

/**
 * One process's handle to a region in a segment, which several processes map at addresses of their
 * own. It wraps hs_shared_region.
 *
 * A block that one process allocated may be freed by another. A process that is killed, at any
 * instruction, leaves the region usable for the others. A handle can be copied, and destroying it
 * ends nothing; all handles of a process to one mapping are equal.
 *
 * Objects in a segment must not contain addresses, unless only one process uses them: no pointers
 * (store offsets), no virtual functions, and no standard containers with this resource.
 *
 * Errors: allocate, reallocate and allocate_at_least throw std::bad_alloc; nothing has changed
 * then. create and attach return 0 or an errno value, which `describe` describes.
 * Complexity: as region, plus locking and unlocking a mutex that processes share.
 * Thread safety: any thread of any process may call any function, except create, attach_alone and
 * destroy.
 * Source: the robust futexes of Linux; offsets instead of addresses as in Boost.Interprocess.
 *
 * ```cpp
 * const int file = memfd_create("shop", 0);                  // to be passed to the other process
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

  /// Effects: makes a handle to nothing. Every request fails until create or attach succeeds.
  shared_region() noexcept = default;

  /// Effects: makes a region in the segment. Returns: 0 or an error; see hs_shared_region_create.
  [[nodiscard]] int create(void* segment, std::size_t bytes) noexcept {
    return hs_shared_region_create(&control_, segment, bytes);
  }
  /// Effects: attaches to the region in the segment.
  /// Returns: 0 or an error; see hs_shared_region_attach.
  [[nodiscard]] int attach(void* segment, std::size_t bytes) noexcept {
    return hs_shared_region_attach(&control_, segment, bytes);
  }
  /// As attach, for the only process that uses the segment; see hs_shared_region_attach_alone.
  [[nodiscard]] int attach_alone(void* segment, std::size_t bytes) noexcept {
    return hs_shared_region_attach_alone(&control_, segment, bytes);
  }
  /// Effects: makes this a handle to nothing; the region stays.
  void detach() noexcept { hs_shared_region_detach(&control_); }
  /// Effects: ends the region. Requires: no other process uses it.
  void destroy() noexcept { hs_shared_region_destroy(&control_); }
  /// Returns: a description of the error, in English.
  [[nodiscard]] static const char* describe(int error) noexcept {
    return hs_shared_region_error(error);
  }

  /// Returns: a block of at least `bytes` bytes.
  /// Requires: `align` is a power of two, and the segment is mapped at a multiple of it.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) const {
    return detail::or_throw(try_allocate(bytes, align));
  }

  /// As allocate. Errors: returns nullptr.
  [[nodiscard]] void* try_allocate(std::size_t bytes,
                                   std::size_t align = min_alignment) const noexcept {
    return align <= min_alignment ? hs_shared_region_malloc(&control_, some(bytes))
                                  : hs_shared_region_aligned_alloc(&control_, align, some(bytes));
  }

  /// Effects: frees the block at `p`, of any process; does nothing if `p` is nullptr.
  void deallocate(void* p, std::size_t /*bytes*/,
                  std::size_t /*align*/ = min_alignment) const noexcept {
    hs_shared_region_free(&control_, p);
  }
  void deallocate(void* p) const noexcept { hs_shared_region_free(&control_, p); }
  /// As deallocate, and says whether the block was freed.
  /// Returns: 0; or ENOTRECOVERABLE or EDEADLK if the lock cannot be taken: see shared_region.h.
  [[nodiscard]] int try_deallocate(void* p) const noexcept {
    return hs_shared_region_free(&control_, p);
  }

  /// Effects: makes the block `new_bytes` long, longer or shorter, without moving it.
  /// Returns: true on success.
  [[nodiscard]] bool try_expand(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                std::size_t /*align*/ = min_alignment) const noexcept {
    return hs_shared_region_try_expand(&control_, p, some(new_bytes)) == 0;
  }

  /// Effects: resizes the block in place or by moving it, keeping its contents. If `p` is nullptr,
  /// allocates.
  [[nodiscard]] void* reallocate(void* p, std::size_t /*old_bytes*/, std::size_t new_bytes,
                                 std::size_t align = min_alignment) const {
    return detail::or_throw(
        align <= min_alignment
            ? hs_shared_region_realloc(&control_, p, some(new_bytes))
            : hs_shared_region_aligned_realloc(&control_, p, align, some(new_bytes)));
  }

  /// Returns: a block and its usable size, with which it may be deallocated.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) const {
    void* p = allocate(bytes, align);
    return {p, usable_size(p)};
  }

  /// Returns: the usable size of the block at `p`.
  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept {
    return hs_shared_region_usable_size(&control_, p);
  }
  /// Returns: whether `p` points into the blocks of the segment, as mapped in this process.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    return hs_shared_region_owns(&control_, p) != 0;
  }

  /// Returns: the offset of `p`, which is the same in every process; 0 if `p` is nullptr.
  [[nodiscard]] std::uint64_t to_offset(const void* p) const noexcept {
    return hs_shared_region_to_offset(&control_, p);
  }
  /// Returns: a pointer in this mapping; nullptr if `offset` is 0 or not in the segment.
  [[nodiscard]] void* from_offset(std::uint64_t offset) const noexcept {
    return hs_shared_region_from_offset(&control_, offset);
  }

  /// Effects: stores the position of `p` for other processes. A process that reads it with root()
  /// sees everything that was written before.
  /// Requires: index < roots.
  void set_root(unsigned index, const void* p) const noexcept {
    hs_shared_region_set_root(&control_, index, p);
  }
  /// Returns: the pointer that was stored last, in this mapping; nullptr at first.
  [[nodiscard]] void* root(unsigned index) const noexcept {
    return hs_shared_region_root(&control_, index);
  }
  /// Effects: as set_root, if the root is `expected`. Returns: whether it was.
  bool replace_root(unsigned index, const void* expected, const void* p) const noexcept {
    return hs_shared_region_replace_root(&control_, index, expected, p) == 0;
  }

  /// Effects: ends all blocks, of all processes, and sets the roots to nullptr.
  void reset() const noexcept { hs_shared_region_reset(&control_); }
  /// Effects: joins deferred blocks with their free neighbours.
  /// Returns: the size of the largest request that would now succeed.
  std::size_t defragment() const noexcept { return hs_shared_region_defragment(&control_); }

  /// Returns: see hs_shared_region_stats; zeroes if the lock cannot be taken.
  [[nodiscard]] hs_region_statistics stats() const noexcept {
    hs_region_statistics out = {};
    out.size = sizeof out;
    hs_shared_region_stats(&control_, &out);
    return out;
  }
  /// Returns: how often the region was recovered after the death of a process.
  [[nodiscard]] std::uint64_t recoveries() const noexcept {
    return hs_shared_region_recoveries(&control_);
  }

  /// Effects: calls `visit(const hs_region_block&)` for every block, holding the lock.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    detail::visitor context(visit);
    hs_shared_region_for_each_block(&control_, context.template call<hs_region_block>, &context);
  }

  /// Returns: 0 if all invariants hold; else the number of a broken one, or -1 if the lock cannot
  /// be taken.
  [[nodiscard]] int check() const noexcept { return hs_shared_region_check(&control_); }

  /// Returns: the handle for calls of the C API.
  [[nodiscard]] const hs_shared_region* native() const noexcept { return &control_; }

  friend bool operator==(const shared_region& a, const shared_region& b) noexcept {
    return a.control_.segment == b.control_.segment;
  }

 private:
  /// A C++ resource allocates a block even for 0 bytes.
  static constexpr std::size_t some(std::size_t bytes) { return bytes + (bytes == 0); }

  hs_shared_region control_ = {};
};

static_assert(resource<shared_region> && expanding_resource<shared_region> &&
              reallocating_resource<shared_region> && generous_resource<shared_region> &&
              owning_resource<shared_region> && resettable_resource<shared_region> &&
              measured_resource<shared_region>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
