// The negative control of lists, stacks and queues: elements in blocks that overlap.
//
// The structure that finds the elements is sound, so a fault shows in the elements alone and ends
// in a failed check.
#pragma once

#include <cstddef>
#include <deque>
#include <new>

#include "containers/sequences.hpp"
#include "contenders/overlapping.hpp"

namespace bench {

template <order Order, class E>
class sequence<overlapping, Order, E> {
 public:
  explicit sequence(std::size_t) {}
  bool empty() const { return all_.empty(); }
  void push(const E& e) { all_.push_back(::new (blocks_.allocate(sizeof(E))) E(e)); }
  double take() {
    constexpr bool is_queue = Order == order::queue;
    const double sum = sum_of(is_queue ? *all_.front() : *all_.back());
    is_queue ? all_.pop_front() : all_.pop_back();
    return sum;
  }
  long keys() const {
    long sum = 0;
    for (const E* e : all_) sum += e->key;
    return sum;
  }

 private:
  overlapping_blocks blocks_;
  std::deque<E*> all_;
};

}  // namespace bench
