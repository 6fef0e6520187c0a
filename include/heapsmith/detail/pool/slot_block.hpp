// One block of columns: how it is obtained from an upstream, addressed, and given back.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "heapsmith/detail/pool/slot_arithmetic.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/**
 * The columns of `Layout` for some number of slots, in one block of memory.
 *
 * Column 0 lies at the beginning of the block. The columns of the pool's own books, which follow
 * those of the values, are zero at first.
 */
template <class Layout>
class slot_block {
 public:
  static constexpr std::size_t columns = Layout::shapes.size();

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  template <class T>
  [[nodiscard]] T* column(std::size_t c) const noexcept {
    return reinterpret_cast<T*>(column_[c]);
  }

  /// Returns: false, with nothing changed, when upstream has no such block.
  template <class Upstream>
  [[nodiscard]] bool obtain(Upstream& from, std::size_t capacity, bool may_throw) {
    const auto shape = shape_of(Layout::shapes, capacity, Layout::column_align);
    if (!shape) return false;
    auto* p = static_cast<std::byte*>(may_throw ? from.allocate(shape->bytes, shape->align)
                                                : from.try_allocate(shape->bytes, shape->align));
    if (p == nullptr) return false;
    for (std::size_t c = 0; c < columns; ++c) column_[c] = p + shape->offset[c];
    constexpr std::size_t books = Layout::books_column;
    if constexpr (books < columns)
      std::memset(column_[books], 0, shape->bytes - shape->offset[books]);
    capacity_ = capacity;
    return true;
  }

  template <class Upstream>
  void give_back(Upstream& to) noexcept {
    if (capacity_ == 0) return;
    const auto shape = shape_of(Layout::shapes, capacity_, Layout::column_align);
    to.deallocate(column_[0], shape->bytes, shape->align);
    *this = slot_block();
  }

  /// Effects: copies `count` slots of column `c`, bytes or bits, to another block.
  void copy_column(std::size_t c, std::size_t from, slot_block& target, std::size_t to,
                   std::size_t count) const noexcept {
    const column_shape shape = Layout::shapes[c];
    if (shape.slots == 1)
      std::memcpy(target.column_[c] + to * shape.bytes, column_[c] + from * shape.bytes,
                  count * shape.bytes);
    else
      copy_bits(target.column<std::uint64_t>(c), to, column<std::uint64_t>(c), from, count);
  }

 private:
  // No std::array: GCC 12 folds the accessors of two layouts and then warns of the longer one.
  std::byte* column_[columns] = {};
  std::size_t capacity_ = 0;
};

}  // namespace heapsmith::detail
