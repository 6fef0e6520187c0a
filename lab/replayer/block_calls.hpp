// The calls of a plan that make, resize and end blocks, with what the program did to their memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stage.hpp"

namespace heapsmith::replayer {

/// Each function reads the rest of a call, whose first byte is `first`, and makes it.
template <touch touches, bool is_timed>
class block_calls {
 public:
  explicit block_calls(player& who) : at_(who.calls), s_(*who.shared), lanes_(who.lanes) {}

  template <class F>
  [[gnu::always_inline]] void make(unsigned first, F f) {
    const std::uint64_t slot = at_.number();
    const std::size_t bytes = at_.number();
    keep(first, slot, bytes, [&] { return f(bytes); });
  }

  void make_in_family(unsigned first, bool is_zeroed) {
    const std::uint64_t slot = at_.number();
    const std::size_t bytes = at_.number();
    lane& family = lanes_[at_.number()];
    keep(first, slot, bytes, [&] { return family.allocate(s_.calls, bytes, is_zeroed); });
  }

  void make_aligned(unsigned first) {
    const std::uint64_t slot = at_.number();
    const std::size_t bytes = at_.number();
    const auto api = static_cast<unsigned>(at_.number());
    const std::size_t align = at_.number();
    keep(first, slot, bytes, [&] { return allocate_aligned(s_.calls, api, bytes, align); });
  }

  void resize(unsigned first) {
    const std::uint64_t slot = at_.number();
    std::uint64_t to = slot;
    void* old;
    if ((first & waits_flag) != 0) {
      const std::uint64_t turn = at_.number(), word = at_.number();
      to = word >> 1;
      if ((word & 1) != 0) waited_ += s_.slots.await_empty(to);
      old = s_.slots.take(slot, turn, waited_);
    } else {
      old = s_.slots.get(slot);
    }
    const std::size_t bytes = at_.number();
    std::size_t written = at_.number();
    const std::size_t touched = (first & touched_flag) != 0 ? at_.number() : bytes;
    if (is_refused(old)) {
      old = nullptr;
      written = 0;
    }
    void* p = timer_.time(s_.allocations, [&] { return s_.calls.realloc(old, bytes); });
    if (p == nullptr) [[unlikely]] {
      ++refused_;
      p = old == nullptr ? refused_block : old;
    } else {
      write<touches>(p, written, touched);
    }
    s_.slots.hold(to, p);
  }

  template <class F>
  [[gnu::always_inline]] void end(unsigned first, F f) {
    void* p = ended(first);
    if (is_refused(p)) return;
    read<touches>(p);
    timer_.time(s_.frees, [&] {
      f(p);
      return 0;
    });
  }

  void end_sized(unsigned first) {
    void* p = ended(first);
    const std::size_t bytes = at_.number();
    if (is_refused(p)) return;
    read<touches>(p);
    timer_.time(s_.frees, [&] {
      s_.calls.end_sized(p, bytes);
      return 0;
    });
  }

  void end_in_family(unsigned first) {
    void* p = ended(first);
    lane& family = lanes_[at_.number()];
    const std::size_t bytes = at_.number();
    if (is_refused(p)) {
      family.end_refused();
      return;
    }
    if (family.visits_ended()) read<touches>(p);
    timer_.time(s_.frees, [&] {
      family.deallocate(s_.calls, p, bytes);
      return 0;
    });
  }

  /// The counts of the clock that this thread waited for others.
  std::uint64_t waited() const { return waited_; }
  /// The allocations that returned null.
  std::uint64_t refused() const { return refused_; }

 private:
  template <class F>
  [[gnu::always_inline]] void keep(unsigned first, std::uint64_t slot, std::size_t bytes, F f) {
    const std::size_t touched = (first & touched_flag) != 0 ? at_.number() : bytes;
    if ((first & waits_flag) != 0) waited_ += s_.slots.await_empty(slot);
    void* p = timer_.time(s_.allocations, f);
    if (p == nullptr) [[unlikely]] {
      ++refused_;
      s_.slots.hold(slot, refused_block);
      return;
    }
    write<touches>(p, 0, touched);
    s_.slots.hold(slot, p);
  }

  /// Returns: the block that ends.
  void* ended(unsigned first) {
    const std::uint64_t slot = at_.number();
    if ((first & waits_flag) != 0) return s_.slots.take(slot, at_.number(), waited_);
    return s_.slots.end(slot);
  }

  stream& at_;
  stage& s_;
  lane* lanes_;
  std::uint64_t waited_ = 0;
  std::uint64_t refused_ = 0;
  call_timer<is_timed> timer_;
};

}  // namespace heapsmith::replayer
