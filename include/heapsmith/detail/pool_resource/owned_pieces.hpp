// The engine of unsynchronized pools: one set of lists, and a source of pieces.
#pragma once

#include <cstddef>

#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/detail/pool_resource/piece_source.hpp"

namespace heapsmith::detail {

/// Takes blocks from pieces. For one thread at a time.
template <class Upstream, std::size_t Bytes>
class owned_pieces {
 public:
  owned_pieces() = default;
  template <class U>
  explicit owned_pieces(U& u) noexcept : source_(u) {}
  owned_pieces(const owned_pieces&) = delete;
  owned_pieces& operator=(const owned_pieces&) = delete;
  ~owned_pieces() { release(); }

  [[nodiscard, gnu::always_inline]] void* take(unsigned cls) noexcept { return lists_.take(cls); }

  template <on_failure Otherwise>
  [[nodiscard, gnu::noinline]] void* take_slow(unsigned cls) noexcept(Otherwise ==
                                                                      on_failure::returns_null) {
    if (void* p = lists_.take_slow(cls)) return p;
    void* start = source_.template take<on_failure::returns_null>();
    if (start == nullptr) {
      trim();
      start = source_.template take<Otherwise>();
    }
    if (start == nullptr) return nullptr;
    lists_.add(start, cls, this);
    return lists_.take_slow(cls);
  }

  [[gnu::always_inline]] void give(void* block) noexcept {
    if (piece* empty = lists_.give(block)) [[unlikely]]
      source_.give(empty);
  }

  template <on_failure Otherwise>
  [[nodiscard]] void*
  take_large(std::size_t bytes, std::size_t align) noexcept(Otherwise == on_failure::returns_null) {
    if (void* p = source_.template take_large<on_failure::returns_null>(bytes, align)) return p;
    trim();
    return source_.template take_large<Otherwise>(bytes, align);
  }

  void give_large(void* p, std::size_t bytes, std::size_t align) noexcept {
    source_.give_large(p, bytes, align);
  }

  void trim() noexcept {
    lists_.remove_empty([&](piece* p) { source_.give_upstream(p); });
    source_.give_spares_upstream();
  }

  void reset() noexcept {
    source_.give_all_large();
    source_.end_blocks();
    lists_.remove_all([&](piece* p) { source_.reset(p); });
  }

  void release() noexcept {
    lists_.remove_all([&](piece* p) { source_.give_upstream(p); });
    source_.give_spares_upstream();
    source_.give_all_large();
  }

  pool_stats stats() const noexcept { return source_.stats(); }
  int check() const noexcept { return lists_.check(); }
  const void* owner() const noexcept { return &source_; }
  /// Requires: the block lies in a piece of some pool with pieces of this size.
  bool owns(const void* block) const noexcept {
    return piece_lists<Bytes>::piece_of(block)->owner == this;
  }

 private:
  piece_lists<Bytes> lists_;
  piece_source<Upstream, Bytes> source_;
};

}  // namespace heapsmith::detail
