// The engine of pools for one thread.
#pragma once

#include <cstddef>

#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/detail/pool_resource/piece_source.hpp"

namespace heapsmith::detail {

/// Blocks of pieces, for one thread at a time.
template <class Upstream, std::size_t Bytes>
class owned_pieces {
 public:
  owned_pieces() = default;
  template <class U>
  explicit owned_pieces(U& u) noexcept : source_(u) {}
  owned_pieces(const owned_pieces&) = delete;
  owned_pieces& operator=(const owned_pieces&) = delete;
  ~owned_pieces() { end_everything(); }

  [[nodiscard, gnu::always_inline]] void* take(unsigned cls) noexcept { return lists_.take(cls); }

  template <without_memory Otherwise>
  [[nodiscard, gnu::noinline]] void* take_slow(unsigned cls) noexcept(Otherwise ==
                                                                      without_memory::is_null) {
    if (void* p = lists_.take_slow(cls)) return p;
    void* start = source_.template take<without_memory::is_null>();
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

  template <without_memory Otherwise>
  [[nodiscard]] void* take_large(std::size_t bytes,
                                 std::size_t align) noexcept(Otherwise == without_memory::is_null) {
    if (void* p = source_.template take_large<without_memory::is_null>(bytes, align)) return p;
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

  void end_everything() noexcept {
    lists_.remove_all([&](piece* p) { source_.give_upstream(p); });
    source_.give_spares_upstream();
    source_.give_all_large();
  }

  pool_stats stats() const noexcept { return source_.stats(); }
  int check() const noexcept { return lists_.check(); }
  const void* owner() const noexcept { return &source_; }

 private:
  piece_lists<Bytes> lists_;
  piece_source<Upstream, Bytes> source_;
};

}  // namespace heapsmith::detail
