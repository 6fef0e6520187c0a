// One block of slots: its columns in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heapsmith/detail/pool/arithmetic.hpp"
#include "heapsmith/detail/pool/bit_tree.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/**
 * One block of memory with the columns of `Layout` for some number of slots. It does not own the
 * memory.
 *
 * Column 0 lies at the beginning. The columns of the pool's own books follow those of the values,
 * and are zero at first.
 */
template <class Layout>
class slot_block {
 public:
  static constexpr std::size_t columns = Layout::shapes.size();
  // For debuggers, which find no constants of `Layout`: no object has its type. The assertion has
  // the compiler write them into the debug information.
  static constexpr std::size_t row_bytes = Layout::shapes[0].bytes;
  static constexpr std::size_t live_column = Layout::live_column;
  static_assert(row_bytes != 0 && live_column <= columns);

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  template <class T>
  [[nodiscard]] T* column(std::size_t c) const noexcept {
    return reinterpret_cast<T*>(column_[c]);
  }

  /// Returns: false, with nothing changed, if the upstream has no such block.
  template <class Upstream>
  [[nodiscard]] bool obtain(Upstream& from, std::size_t capacity) {
    const auto shape = shape_of(Layout::shapes, capacity, Layout::column_align);
    if (!shape) return false;
    auto* p = static_cast<std::byte*>(from.try_allocate(shape->bytes, shape->align));
    if (p == nullptr) return false;
    for (std::size_t c = 0; c < columns; ++c) column_[c] = p + shape->offset[c];
    constexpr std::size_t books = Layout::books_column;
    if constexpr (books < columns)
      std::memset(column_[books], 0, shape->bytes - shape->offset[books]);
    capacity_ = capacity;
    if constexpr (!Layout::is_soa) probe::enter_buffer(nullptr, p, slot_bytes());
    return true;
  }

  template <class Upstream>
  void give_back(Upstream& to) noexcept {
    if (capacity_ == 0) return;
    const auto shape = shape_of(Layout::shapes, capacity_, Layout::column_align);
    if constexpr (!Layout::is_soa) probe::leave_buffer(nullptr, column_[0], slot_bytes());
    to.deallocate(column_[0], shape->bytes, shape->align);
    *this = slot_block();
  }

  /// Returns: the bits that say which slots are live.
  [[nodiscard]] bit_tree live() const noexcept {
    return {column<std::uint64_t>(live_column), capacity_};
  }

  /// Effects: copies `count` slots of column `c` to another block. Bits are copied to a new one.
  void copy_column(std::size_t c, std::size_t from, slot_block& target, std::size_t to,
                   std::size_t count) const noexcept {
    const column_shape shape = Layout::shapes[c];
    if (shape.is_bits()) {
      copy_bits(target.column<std::uint64_t>(c), to, column<std::uint64_t>(c), from, count);
      target.live().note_all();
    } else {
      std::memcpy(target.column_[c] + to * shape.bytes, column_[c] + from * shape.bytes,
                  count * shape.bytes);
    }
  }

 private:
  std::size_t slot_bytes() const noexcept { return capacity_ * row_bytes; }

  // No std::array: GCC 12 folds the accessors of two layouts and then warns of the longer one.
  std::byte* column_[columns] = {};
  std::size_t capacity_ = 0;
};

}  // namespace heapsmith::detail
