// The engine of synchronized pools: a share for each thread, and one source of pieces.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/detail/pool_resource/piece_source.hpp"
#include "heapsmith/detail/pool_resource/pool_shares.hpp"
#include "heapsmith/detail/pool_resource/shares_of_thread.hpp"

namespace heapsmith::detail {

/**
 * Takes blocks from pieces. For any thread.
 *
 * A thread takes blocks from the lists of its own share, and gives blocks of its own pieces back to
 * them, without an atomic operation. It sends other blocks to their share, whose thread collects
 * them before it takes a new piece. `source_lock_` protects pieces, large blocks and calls of the
 * upstream. It is never held together with shares_lock.
 */
template <class Upstream, std::size_t Bytes>
class shared_pieces {
 public:
  shared_pieces() = default;
  template <class U>
  explicit shared_pieces(U& u) noexcept : source_(u) {}
  shared_pieces(const shared_pieces&) = delete;
  shared_pieces& operator=(const shared_pieces&) = delete;
  ~shared_pieces() { release(); }

  /// Returns: a block from the list of the current piece in the thread's share, or nullptr.
  [[nodiscard, gnu::always_inline]] void* take(unsigned cls) noexcept {
    share* s = share_of_thread();
    return s == nullptr ? nullptr : s->lists.take(cls);
  }

  template <on_failure Otherwise>
  [[nodiscard, gnu::noinline]] void* take_slow(unsigned cls) noexcept(Otherwise ==
                                                                      on_failure::returns_null) {
    share* s = find_share_slow<Otherwise>();
    if (s == nullptr) return nullptr;
    const borrowed_until_return borrowed(s);
    give_chain(s, s->collect());
    if (void* p = s->lists.take(cls)) return p;
    if (void* p = s->lists.take_slow(cls)) return p;
    s->flush();
    tend_orphan();
    void* start = take_piece<Otherwise>(s);
    if (start == nullptr) return nullptr;
    s->lists.add(start, cls, s);
    return s->lists.take_slow(cls);
  }

  [[gnu::always_inline]] void give(void* block) noexcept {
    piece* p = piece_lists<Bytes>::piece_of(block);
    share* s = share_of_thread();
    if (p->owner != s) [[unlikely]]
      return send_home(block, static_cast<share*>(p->owner), s);
    if (piece* empty = s->lists.give(block)) [[unlikely]]
      give_piece_slow(empty);
  }

  template <on_failure Otherwise>
  [[nodiscard]] void*
  take_large(std::size_t bytes, std::size_t align) noexcept(Otherwise == on_failure::returns_null) {
    {
      const std::lock_guard guard(source_lock_);
      if (void* p = source_.template take_large<on_failure::returns_null>(bytes, align)) return p;
    }
    trim();
    const std::lock_guard guard(source_lock_);
    return source_.template take_large<Otherwise>(bytes, align);
  }

  void give_large(void* p, std::size_t bytes, std::size_t align) noexcept {
    const std::lock_guard guard(source_lock_);
    source_.give_large(p, bytes, align);
  }

  /// Effects: gives empty pieces upstream, except those in shares of other threads.
  void trim() noexcept {
    if (share* s = share_of_thread()) {
      s->flush();
      tend(s);
    }
    tend_all_orphans();
    const std::lock_guard guard(source_lock_);
    source_.give_spares_upstream();
  }

  /// Requires: no other thread uses this object.
  void reset() noexcept {
    source_.give_all_large();
    source_.end_blocks();
    for (pool_share* s = shares_; s != nullptr; s = s->next_of_pool) {
      s->forget_blocks();
      static_cast<share*>(s)->lists.remove_all([&](piece* p) { source_.reset(p); });
    }
  }

  /// Requires: no other thread uses this object.
  void release() noexcept {
    {
      const std::lock_guard guard(shares_lock);
      for (pool_share* s = shares_; s != nullptr; s = s->next_of_pool)
        if (s->thread != nullptr) s->thread->leave_locked(s);
    }
    while (shares_ != nullptr) {
      share* s = static_cast<share*>(shares_);
      shares_ = s->next_of_pool;
      s->lists.remove_all([&](piece* p) { source_.give_upstream(p); });
      s->~share();
      source_.to_upstream(s, sizeof(share), alignof(share));
    }
    orphans_ = {};
    source_.give_spares_upstream();
    source_.give_all_large();
    number_ = new_number();  // threads do not find their ended shares by it
  }

  pool_stats stats() const noexcept {
    const std::lock_guard guard(source_lock_);
    return source_.stats();
  }

  const void* owner() const noexcept { return &source_; }
  /// Requires: the block lies in a piece of some synchronized pool with pieces of this size.
  bool owns(const void* block) const noexcept {
    return static_cast<const share*>(piece_lists<Bytes>::piece_of(block)->owner)->pool == number_;
  }

 private:
  struct share : pool_share {
    piece_lists<Bytes> lists;
  };

  static std::uint64_t new_number() noexcept {
    // relaxed: the number is all that matters.
    return pools_numbered.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  share* share_of_thread() const noexcept { return static_cast<share*>(share_used_last(number_)); }

  template <on_failure Otherwise>
  share* find_share_slow() noexcept(Otherwise == on_failure::returns_null) {
    if (share* s = share_of_thread()) return s;
    thread_shares* of_thread = shares_of_thread();
    pool_share* s = nullptr;
    {
      const std::lock_guard guard(shares_lock);
      if (of_thread != nullptr) s = of_thread->find_locked(number_);
      if (s == nullptr && (s = orphans_.take_locked()) != nullptr && of_thread != nullptr)
        of_thread->join_locked(s);
    }
    if (s == nullptr && (s = make_share<Otherwise>(of_thread)) == nullptr) return nullptr;
    if (of_thread != nullptr) remember_share(number_, s);
    return static_cast<share*>(s);
  }

  template <on_failure Otherwise>
  share* make_share(thread_shares* of_thread) noexcept(Otherwise == on_failure::returns_null) {
    void* memory;
    {
      const std::lock_guard guard(source_lock_);
      memory = source_.template from_upstream<Otherwise>(sizeof(share), alignof(share));
    }
    if (memory == nullptr) return nullptr;
    share* s = new (memory) share;
    s->pool = number_;
    s->orphans = &orphans_;
    const std::lock_guard guard(shares_lock);
    s->next_of_pool = shares_;
    shares_ = s;
    if (of_thread != nullptr) of_thread->join_locked(s);
    return s;
  }

  template <on_failure Otherwise>
  void* take_piece(share* s) noexcept(Otherwise == on_failure::returns_null) {
    {
      const std::lock_guard guard(source_lock_);
      if (void* start = source_.template take<on_failure::returns_null>()) return start;
    }
    tend(s);
    tend_all_orphans();
    const std::lock_guard guard(source_lock_);
    return source_.template take<Otherwise>();
  }

  [[gnu::noinline]] void give_piece_slow(piece* p) noexcept {
    const std::lock_guard guard(source_lock_);
    source_.give(p);
  }

  [[gnu::noinline]] static void send_home(void* block, share* to, share* s) noexcept {
    auto* b = static_cast<free_block*>(block);
    if (s == nullptr)  // the thread has no share: it never allocated here, or it is ending
      to->push(b, b);
    else
      s->send(b, to);
  }

  void give_chain(share* s, free_block* b) noexcept {
    while (b != nullptr) {
      free_block* next = b->next();
      if (piece* empty = s->lists.give(b)) give_piece_slow(empty);
      b = next;
    }
  }

  /// Effects: collects the blocks that returned to the share, and gives up its empty pieces.
  void tend(share* s) noexcept {
    give_chain(s, s->collect());
    s->lists.remove_empty([&](piece* p) { give_piece_slow(p); });
  }

  /// Effects: tends the oldest orphan. No thread uses orphans, so a thread that needs a piece does
  /// it. Returns: the orphan, or nullptr if no orphan exists.
  share* tend_orphan() noexcept {
    share* s;
    {
      const std::lock_guard guard(shares_lock);
      s = static_cast<share*>(orphans_.take_locked());
    }
    if (s == nullptr) return nullptr;
    tend(s);
    const std::lock_guard guard(shares_lock);
    orphans_.put_locked(s);
    return s;
  }

  void tend_all_orphans() noexcept {
    share* first = tend_orphan();
    if (first == nullptr) return;
    // The list is a queue: when the first orphan comes again, all were tended. It may have been
    // adopted meanwhile, so the number of shares is another limit.
    for (std::size_t n = shares_made(); n > 0; --n)
      if (share* s = tend_orphan(); s == nullptr || s == first) return;
  }

  std::size_t shares_made() const noexcept {
    const std::lock_guard guard(shares_lock);
    std::size_t n = 0;
    for (const pool_share* s = shares_; s != nullptr; s = s->next_of_pool) ++n;
    return n;
  }

  mutable std::mutex source_lock_;
  piece_source<Upstream, Bytes> source_;  // under source_lock_
  pool_share* shares_ = nullptr;          // all shares; under shares_lock, like orphans_
  orphan_list orphans_;
  std::uint64_t number_ = new_number();
};

}  // namespace heapsmith::detail
