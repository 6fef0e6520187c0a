// Pools as plain memory: copies of a pool, and images of it that can be written to a file.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "heapsmith/detail/pool/arithmetic.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// The beginning of an image. All of it is checked when the image is read.
struct image_header {
  std::uint64_t magic = 0x316c'6f6f'7073'6800;
  std::uint64_t layout = 0;  // the shapes of all columns, mixed into one number
  std::uint64_t first = 0;
  std::uint64_t used = 0;  // slots of the window
  std::uint64_t live = 0;
  std::uint64_t user = 0;  // what a container keeps beside its pool
};

/**
 * Reads and writes the insides of pools whose rows are plain memory.
 *
 * An image is a header followed by the slots of the window, column by column. It holds no address
 * and no link of the free list: load() lists all dead slots. Any process of the same byte order can
 * read it. A damaged image is refused or gives wrong rows, but never leads to a wild access.
 */
template <class Pool>
struct pool_image {
  using layout = typename Pool::layout_type;
  using policy = typename Pool::policy_type;
  using index = typename policy::index_type;
  using slots_type = typename Pool::books_type::slots_type;

  static std::size_t bytes(std::size_t slots) noexcept {
    std::size_t sum = sizeof(image_header);
    for (std::size_t c = 0; c < layout::shapes.size(); ++c)
      if (!is_link(c))
        sum += layout::shapes[c].bytes *
               (layout::shapes[c].is_bits() ? bit_tree::words_of(slots) : slots);
    return sum;
  }

  static void save(const Pool& pool, std::span<std::byte> out, std::uint64_t user) {
    const auto& books = pool.books_;
    const image_header header = {.layout = mixed(),
                                 .first = books.first,
                                 .used = books.window(),
                                 .live = books.size(),
                                 .user = user};
    std::memcpy(out.data(), &header, sizeof header);
    std::byte* to = out.data() + sizeof header;
    for_each_cell(books, [&](std::size_t c, index i, std::byte* cell, std::size_t size) {
      if (has_bytes(books, c, i))
        std::memcpy(to, cell, size);
      else
        std::memset(to, 0, size);
      to += size;
    });
    for (std::size_t k = 0; policy::reuses && k < books.window(); k += 64, to += 8) {
      std::uint64_t word = 0;
      for (std::size_t b = 0; b < least(64, books.window() - k); ++b)
        word |= std::uint64_t{books.is_live(static_cast<index>(books.first + k + b))} << b;
      std::memcpy(to, &word, sizeof word);
    }
  }

  static bool load(Pool& pool, std::span<const std::byte> image, std::uint64_t* user) {
    image_header header;
    if (image.size() < sizeof header) return false;
    std::memcpy(&header, image.data(), sizeof header);
    if (!is_sound(header, image.size())) return false;
    if (policy::is_fixed && header.used > pool.capacity()) return false;

    Pool fresh(pool.books_.slots.source(),
               least(policy::is_fixed ? pool.capacity() : header.used, slots_type::max_capacity));
    auto& books = fresh.books_;
    books.slots.number_from(static_cast<index>(header.first));
    books.first = static_cast<index>(header.first);
    books.last = static_cast<index>(header.first + header.used);
    const std::byte* from = image.data() + sizeof header;
    for_each_cell(books, [&](std::size_t c, index, std::byte* cell, std::size_t size) {
      if (c < layout::value_columns) probe::given(cell, size);
      std::memcpy(cell, from, size);
      from += size;
    });
    for (std::size_t k = 0; policy::reuses && k < header.used; k += 64, from += 8) {
      std::uint64_t word;
      std::memcpy(&word, from, sizeof word);
      for (std::size_t b = 0; b < least(64, header.used - k); ++b)
        if (word >> b & 1) books.mark(static_cast<index>(books.first + k + b));
    }
    list_dead(books);
    if (books.size() != header.live || !has_sound_generations(books)) return false;
    if (user != nullptr) *user = header.user;
    pool = std::move(fresh);
    return true;
  }

  static Pool clone(const Pool& pool) {
    const auto& old = pool.books_;
    // All pieces that indices allow have some slots more than can be asked for.
    Pool fresh(old.slots.source(), least(pool.capacity(), slots_type::max_capacity));
    auto& books = fresh.books_;
    books.slots.number_from(old.slots.origin());
    books.first = old.first;
    books.last = old.last;
    for_each_cell(books, [&](std::size_t c, index i, std::byte* cell, std::size_t size) {
      if (!has_bytes(old, c, i)) return;
      if (c < layout::value_columns) probe::given(cell, size);
      std::memcpy(cell, cell_of(old, c, i), size);
    });
    for (index i = old.first; policy::reuses && i != old.last; ++i)
      if (old.is_live(i)) books.mark(i);
    list_dead(books);
    return fresh;
  }

 private:
  static constexpr bool is_link(std::size_t c) {
    return c >= layout::value_columns && c < layout::books_column;
  }

  static constexpr std::uint64_t mixed() {
    std::uint64_t sum = layout::shapes.size();
    for (const column_shape& s : layout::shapes)
      sum = (std::rotl(sum, 21) ^ (s.bytes << 24 | s.align << 8 | s.slots)) * 0x9e3779b97f4a7c15u;
    return sum;
  }

  static bool is_sound(const image_header& h, std::size_t size) {
    return h.magic == image_header().magic && h.layout == mixed() &&
           h.first <= std::numeric_limits<index>::max() && h.live <= h.used &&
           (!policy::is_one_ended || policy::is_ring || h.first == 0) &&
           slots_type::can_hold(h.first, h.used) && h.used <= size && bytes(h.used) == size;
  }

  /// A dead slot of rows holds a link, which means nothing elsewhere.
  static bool has_bytes(const auto& books, std::size_t c, index i) {
    return layout::is_soa || c >= layout::value_columns || books.is_live(i);
  }

  static std::byte* cell_of(const auto& books, std::size_t c, index i) {
    return books.slots.template base<std::byte>(c, i) +
           books.slots.position(i) * layout::shapes[c].bytes;
  }

  /// Effects: calls `f` for the values and generations of the window, column by column.
  static void for_each_cell(const auto& books, auto f) {
    for (std::size_t c = 0; c < layout::shapes.size(); ++c)
      if (!is_link(c) && !layout::shapes[c].is_bits())
        for (index i = books.first; i != books.last; ++i)
          f(c, i, cell_of(books, c, i), layout::shapes[c].bytes);
  }

  /// A slot whose generations are used up is dead, and no slot has more: a handle has no room.
  static bool has_sound_generations(const auto& books) {
    if constexpr (policy::has_handles)
      for (index i = books.first; i != books.last; ++i)
        if (books.generation(i) > books.generations ||
            (books.is_retired(i) && (policy::is_fixed || books.is_live(i))))
          return false;
    return true;
  }

  static void list_dead(auto& books) {
    for (index i = books.last; policy::reuses && i != books.first;)
      if (--i; !books.is_live(i)) {
        if (books.is_retired(i))
          ++books.retired;
        else
          books.list(i);
      }
  }
};

}  // namespace heapsmith::detail
