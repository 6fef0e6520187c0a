// Lists, stacks and queues of every contender, under one interface: push, take, keys.
#pragma once

#include <cstddef>
#include <deque>
#include <forward_list>
#include <new>
#include <vector>

#include "contenders/kinds.hpp"
#include "contenders/limit.hpp"
#include "contenders/new.hpp"
#include "contenders/peers.hpp"
#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/stack.hpp"
#include "support/element.hpp"

namespace bench {

enum class order { list, stack, queue };

/// The key of a row, or of references into columns.
template <class Row>
inline int key_of(Row&& row) {
  if constexpr (requires { row.key; })
    return row.key;
  else
    return row.template get<0>();
}

/// heapsmith's container in a pool of the kind `Contender`.
template <class Contender, order Order, class E>
class sequence {
  template <class T, class... Policies>
  using pool = typename Contender::template pool<T, Policies...>;
  using list = heapsmith::list<E, pool>;
  using stack = heapsmith::stack<E, pool>;
  using queue = heapsmith::queue<E, pool>;
  using container = std::conditional_t<Order == order::list, list,
                                       std::conditional_t<Order == order::stack, stack, queue>>;

 public:
  explicit sequence(std::size_t n) : held_(Contender::template made<container>(n)) {}
  bool empty() const { return held_.empty(); }
  void push(const E& e) {
    if constexpr (Order == order::list)
      held_.push_front(e);
    else
      held_.push(e);
  }
  double take() {
    const double sum = sum_of(next());
    if constexpr (Order == order::list)
      held_.pop_front();
    else
      held_.pop();
    return sum;
  }
  long keys() const {
    long sum = 0;
    for (auto&& row : held_) sum += key_of(row);
    return sum;
  }

 private:
  decltype(auto) next() {
    if constexpr (Order == order::stack)
      return held_.top();
    else
      return held_.front();
  }

  container held_;
};

/// A vector with enough memory from the start; a queue continues reading after the last element.
template <order Order, class E>
class sequence<limit, Order, E> {
 public:
  explicit sequence(std::size_t n) { held_.reserve(n); }
  bool empty() const { return first_ == held_.size(); }
  void push(const E& e) { held_.push_back(e); }
  double take() {
    if constexpr (Order == order::queue) {
      const double sum = sum_of(held_[first_]);
      if (++first_ == held_.size()) {
        held_.clear();
        first_ = 0;
      }
      return sum;
    } else {
      const double sum = sum_of(held_.back());
      held_.pop_back();
      return sum;
    }
  }
  long keys() const { return keys_of(held_); }

 private:
  std::vector<E> held_;
  std::size_t first_ = 0;
};

/// std::forward_list, or a std::deque as in std::stack and std::queue.
template <order Order, class E>
class sequence<standard_containers, Order, E> {
  static constexpr bool is_list = Order == order::list;

 public:
  explicit sequence(std::size_t) {}
  bool empty() const { return held_.empty(); }
  void push(const E& e) {
    if constexpr (is_list)
      held_.push_front(e);
    else
      held_.push_back(e);
  }
  double take() {
    if constexpr (Order == order::stack) {
      const double sum = sum_of(held_.back());
      held_.pop_back();
      return sum;
    } else {
      const double sum = sum_of(held_.front());
      held_.pop_front();
      return sum;
    }
  }
  long keys() const { return keys_of(held_); }

 private:
  std::conditional_t<is_list, std::forward_list<E>, std::deque<E>> held_;
};

template <order Order, class E>
class sequence<standard_on_heapsmith, Order, E> : public sequence<standard_containers, Order, E> {
  using sequence<standard_containers, Order, E>::sequence;
};

/// Nodes that point to the next one, each in a block of `Blocks`.
template <class Blocks, order Order, class E>
class linked {
  struct node {
    E value;
    node* next;
  };

 public:
  explicit linked(std::size_t) : blocks_(sizeof(node)) {}
  linked(const linked&) = delete;
  linked& operator=(const linked&) = delete;
  ~linked() {
    while (!empty()) take();
  }
  bool empty() const { return first_ == nullptr; }
  void push(const E& e) {
    void* const block = blocks_.allocate();
    if constexpr (Order == order::queue) {
      last_ = *(empty() ? &first_ : &last_->next) = ::new (block) node{e, nullptr};
    } else {
      first_ = ::new (block) node{e, first_};
    }
  }
  double take() {
    node* const gone = first_;
    first_ = gone->next;
    const double sum = sum_of(gone->value);
    blocks_.deallocate(gone);
    return sum;
  }
  long keys() const {
    long sum = 0;
    for (const node* n = first_; n != nullptr; n = n->next) sum += n->value.key;
    return sum;
  }

 private:
  Blocks blocks_;
  node* first_ = nullptr;
  node* last_ = nullptr;
};

template <order Order, class E>
class sequence<new_glibc, Order, E> : public linked<new_blocks, Order, E> {
  using linked<new_blocks, Order, E>::linked;
};
template <order Order, class E>
class sequence<new_heapsmith, Order, E> : public linked<new_blocks, Order, E> {
  using linked<new_blocks, Order, E>::linked;
};
template <order Order, class E>
class sequence<boost_pool, Order, E> : public linked<boost_blocks, Order, E> {
  using linked<boost_blocks, Order, E>::linked;
};

}  // namespace bench
