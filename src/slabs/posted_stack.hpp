// The stack on which other threads leave slabs that got blocks back: push one, take all.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith {

struct slab;

/// A lock-free stack of slabs through slab::posted_next. The thread that takes it has every slab in
/// it to itself; nothing is ever popped singly, so there is no ABA and no broken link to wait for.
template <class Slab>
class basic_posted_stack {
 public:
  void push(Slab* s) { push_chain(s, s, 1); }

  void push_chain(Slab* first, Slab* last, std::uint32_t length) {
    Slab* seen = top_.load(relaxed);  // a guess; the exchange checks it
    do {
      last->posted_next = seen;
      // release pairs with pop_all(): the links are written before the slabs are found.
    } while (!top_.compare_exchange_weak(seen, first, release, relaxed));
    length_.fetch_add(length, relaxed);
  }

  /// Takes all of it; `length` learns how many there are, as a hint. Null: the stack is empty.
  Slab* pop_all(std::uint32_t* length = nullptr) {
    if (top_.load(relaxed) == nullptr) return nullptr;  // a racing push is found next time
    if (length != nullptr) *length = length_.load(relaxed);
    length_.store(0, relaxed);
    finished_.store(0, relaxed);
    // acquire pairs with push_chain(): the links, and the records as their posters left them.
    return top_.exchange(nullptr, acquire);
  }

  /// Puts back the last `length` slabs of a stack just taken.
  void put_back(Slab* rest, std::uint32_t length) {
    Slab* expected = nullptr;
    // release as in push_chain(): the next taker gets the links and records we acquired.
    if (top_.compare_exchange_strong(expected, rest, release, relaxed)) {
      length_.fetch_add(length, relaxed);
      return;
    }
    Slab* last = rest;  // others pushed meanwhile: ours go on top of theirs
    while (last->posted_next != nullptr) last = last->posted_next;
    push_chain(rest, last, length);
  }

  /// Whether a slab was finished before it lay here, or a quarter of those here are.
  bool has_finished() const { return finished_.load(relaxed) * 4 > length_.load(relaxed); }

  /// Counts a slab here whose blocks are all back. True when a quarter are: time to take them.
  bool note_finished() {
    return (finished_.fetch_add(1, relaxed) + 1) * 4 >= length_.load(relaxed);
  }

 private:
  atomic<Slab*> top_{nullptr};
  // How many lie here, and how many of them have all their blocks back. relaxed throughout: hints
  // that only decide when to look, never which slabs are found.
  atomic<std::uint32_t> length_{0};
  atomic<std::uint32_t> finished_{0};
};

using posted_stack = basic_posted_stack<slab>;

}  // namespace heapsmith
