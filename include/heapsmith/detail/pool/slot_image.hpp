// Pools as plain memory: copies of a window, and images of it that can be written to a file.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "heapsmith/detail/pool/slot_arithmetic.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// What an image begins with; all of it is checked when the image is read.
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
 * An image is a header and then, column by column, the slots of the window. It holds no address and
 * no link of the free list: whoever reads it lists all dead slots. So it is as good in any process
 * of the same byte order, and a damaged one is refused or gives wrong rows, but no wild access.
 */
struct slot_image {
  template <class Pool>
  static constexpr bool is_possible = Pool::layout_type::is_plain_memory;

  template <class Pool>
  static std::size_t bytes(const Pool& pool) {
    return total_bytes<Pool>(pool.books_.window());
  }

  /// Requires: `out` has at least bytes(pool) bytes.
  template <class Pool>
  static void save(const Pool& pool, std::uint64_t user, std::span<std::byte> out) {
    using layout = typename Pool::layout_type;
    const auto& books = pool.books_;
    const image_header header = {.layout = mixed<layout>(),
                                 .first = books.first,
                                 .used = books.window(),
                                 .live = books.size(),
                                 .user = user};
    std::memcpy(out.data(), &header, sizeof header);
    std::byte* to = out.data() + sizeof header;
    for (std::size_t c = 0; c < layout::shapes.size(); ++c) {
      if (column_bytes<layout>(c, 1) == 0) continue;
      if (layout::shapes[c].slots != 1)
        for_each_word(books.window(), [&](std::size_t at, std::size_t n) {
          std::uint64_t word = 0;
          for (std::size_t k = 0; k < n; ++k)
            word |= std::uint64_t{books.is_live(nth(books, at + k))} << k;
          std::memcpy(to + at / 8, &word, sizeof word);
        });
      else
        for_each_slot(books, [&](std::size_t k, auto i) {
          const std::size_t size = layout::shapes[c].bytes;
          if (layout::keeps_dead_values || books.is_live(i) || c >= layout::value_columns)
            std::memcpy(to + k * size, cell(books, c, i), size);
          else
            std::memset(to + k * size, 0, size);
        });
      to += column_bytes<layout>(c, books.window());
    }
  }

  /// Effects: the pool has the rows of the image. Returns: false, with nothing changed, when it is
  /// none of such a pool, or does not fit. Errors: std::bad_alloc.
  template <class Pool>
  static bool load(Pool& pool, std::span<const std::byte> image, std::uint64_t* user) {
    using layout = typename Pool::layout_type;
    image_header header;
    if (image.size() < sizeof header) return false;
    std::memcpy(&header, image.data(), sizeof header);
    if (!is_sound<Pool>(header, image.size())) return false;
    if (Pool::policy_type::is_fixed && header.used > pool.capacity()) return false;

    Pool fresh = like(pool, Pool::policy_type::is_fixed ? pool.capacity() : header.used);
    open_window(fresh, static_cast<typename Pool::index_type>(header.first), header.used);
    const std::byte* from = image.data() + sizeof header;
    for (std::size_t c = 0; c < layout::shapes.size(); ++c) {
      const std::size_t size = layout::shapes[c].bytes;
      if (column_bytes<layout>(c, 1) == 0) continue;
      if (layout::shapes[c].slots != 1) {
        for_each_word(header.used, [&](std::size_t at, std::size_t n) {
          std::uint64_t word;
          std::memcpy(&word, from + at / 8, sizeof word);
          for (std::size_t k = 0; k < n; ++k)
            if (word >> k & 1) fresh.books_.mark(nth(fresh.books_, at + k));
        });
      } else {
        for_each_slot(fresh.books_, [&](std::size_t k, auto i) {
          std::memcpy(cell(fresh.books_, c, i), from + k * size, size);
        });
      }
      from += column_bytes<layout>(c, header.used);
    }
    if (fresh.books_.size() != header.live) return false;
    list_dead(fresh.books_);
    *user = header.user;
    pool = std::move(fresh);
    return true;
  }

  /// Returns: a pool of the same capacity with the same rows at the same indices.
  template <class Pool>
  static Pool clone(const Pool& pool) {
    using layout = typename Pool::layout_type;
    Pool fresh = like(pool, pool.capacity());
    fresh.books_.slots.number_from(pool.books_.slots.position(false));
    fresh.books_.first = pool.books_.first;
    fresh.books_.last = pool.books_.last;
    for_each_slot(pool.books_, [&](std::size_t, auto i) {
      const bool is_live = pool.books_.is_live(i);
      for (std::size_t c = 0; c < layout::value_columns; ++c)
        if (is_live || layout::keeps_dead_values) {
          probe::given(cell(fresh.books_, c, i), layout::shapes[c].bytes);
          std::memcpy(cell(fresh.books_, c, i), cell(pool.books_, c, i), layout::shapes[c].bytes);
        }
      if constexpr (Pool::policy_type::has_handles)
        fresh.books_.generation(i) = pool.books_.generation(i);
      if (is_live) fresh.books_.mark(i);
    });
    list_dead(fresh.books_);
    return fresh;
  }

 private:
  template <class Pool>
  static Pool like(const Pool& pool, std::size_t capacity) {
    auto from = pool.books_.slots.source();
    return Pool(capacity, *from);
  }

  template <class Layout>
  static constexpr std::uint64_t mixed() {
    std::uint64_t sum = Layout::shapes.size();
    for (const column_shape& s : Layout::shapes)
      sum = (std::rotl(sum, 21) ^ (s.bytes << 24 | s.align << 8 | s.slots)) * 0x9e3779b97f4a7c15u;
    return sum;
  }

  template <class Layout>
  static std::size_t column_bytes(std::size_t c, std::size_t slots) {
    if (c >= Layout::value_columns && c < Layout::books_column) return 0;  // links stay at home
    const column_shape s = Layout::shapes[c];
    return (slots / s.slots + (slots % s.slots != 0)) * s.bytes;
  }

  template <class Pool>
  static std::size_t total_bytes(std::size_t slots) {
    std::size_t sum = sizeof(image_header);
    for (std::size_t c = 0; c < Pool::layout_type::shapes.size(); ++c)
      sum += column_bytes<typename Pool::layout_type>(c, slots);
    return sum;
  }

  template <class Pool>
  static bool is_sound(const image_header& h, std::size_t bytes) {
    return h.magic == image_header().magic && h.layout == mixed<typename Pool::layout_type>() &&
           h.first <= std::numeric_limits<typename Pool::index_type>::max() && h.live <= h.used &&
           (!Pool::policy_type::is_one_ended || Pool::policy_type::is_ring || h.first == 0) &&
           h.used <= Pool::max_size() && h.used <= bytes && total_bytes<Pool>(h.used) == bytes;
  }

  template <class Books>
  static std::byte* cell(const Books& books, std::size_t c, typename Books::index i) {
    return books.slots.template base<std::byte>(c, i) +
           books.slots.place(i) * Books::layout_type::shapes[c].bytes;
  }

  template <class Books>
  static typename Books::index nth(const Books& books, std::size_t k) {
    return static_cast<typename Books::index>(books.first + k);
  }

  template <class Books, class F>
  static void for_each_slot(const Books& books, F f) {
    for (std::size_t k = 0; k < books.window(); ++k) f(k, nth(books, k));
  }

  template <class F>
  static void for_each_word(std::size_t slots, F f) {
    for (std::size_t at = 0; at < slots; at += 64) f(at, std::min<std::size_t>(64, slots - at));
  }

  template <class Pool>
  static void open_window(Pool& pool, typename Pool::index_type first, std::size_t used) {
    pool.books_.slots.number_from(first);
    pool.books_.first = first;
    pool.books_.last = static_cast<typename Pool::index_type>(first + used);
    for_each_slot(pool.books_, [&](std::size_t, auto i) {
      for (std::size_t c = 0; c < Pool::layout_type::value_columns; ++c)
        probe::given(cell(pool.books_, c, i), Pool::layout_type::shapes[c].bytes);
    });
  }

  template <class Books>
  static void list_dead(Books& books) {
    if constexpr (Books::reuses)
      for (std::size_t k = books.window(); k-- != 0;)
        if (const auto i = nth(books, k); !books.is_live(i) && !books.is_retired(i)) books.list(i);
  }
};

}  // namespace heapsmith::detail
