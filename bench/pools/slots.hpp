// Elements addressed by slot: typed pools, and other containers that do not move their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "contenders/kinds.hpp"
#include "contenders/limit.hpp"
#include "contenders/new.hpp"
#include "contenders/peers.hpp"
#include "support/element.hpp"

namespace bench {

/// The caller keeps the slots of all elements. A scan adds up their keys; end() ends them.
template <class Contender, class E>
class slots {
  using pool = typename Contender::template pool<E>;

 public:
  using slot = typename pool::index_type;

  explicit slots(std::size_t n) : pool_(Contender::template made<pool>(n)) {}
  slot add(const E& e) { return pool_.emplace(e); }
  void drop(slot at) { pool_.erase(at); }
  double read(slot at) const { return sum_of(pool_[at]); }
  long scan(std::span<const slot>) const {
    long sum = 0;
    if constexpr (pool::is_soa) {
      for (const int key : pool_.template column<0>()) sum += key;
    } else {
      for (const E& e : pool_) sum += e.key;
    }
    return sum;
  }

  void end(std::span<const slot>) { pool_.clear(); }

 private:
  pool pool_;
};

/// A vector: the next element takes the slot of the one erased last.
template <class E>
class slots<limit, E> {
 public:
  using slot = std::uint32_t;

  explicit slots(std::size_t n) { all_.reserve(n); }
  slot add(const E& e) {
    if (free_ != none) {
      all_[free_] = e;
      return std::exchange(free_, none);
    }
    all_.push_back(e);
    return static_cast<slot>(all_.size() - 1);
  }
  void drop(slot at) { free_ = at; }
  double read(slot at) const { return sum_of(all_[at]); }
  long scan(std::span<const slot>) const { return keys_of(all_); }

  void end(std::span<const slot>) { all_.clear(); }

 private:
  static constexpr slot none = ~slot{0};
  std::vector<E> all_;
  slot free_ = none;
};

/// A std::list, whose iterators are the slots.
template <class E>
class slots<standard_containers, E> {
 public:
  using slot = typename std::list<E>::iterator;

  explicit slots(std::size_t) {}
  slot add(const E& e) { return all_.insert(all_.end(), e); }
  void drop(slot at) { all_.erase(at); }
  double read(slot at) const { return sum_of(*at); }
  long scan(std::span<const slot>) const { return keys_of(all_); }
  void end(std::span<const slot>) { all_.clear(); }

 private:
  std::list<E> all_;
};

template <class E>
class slots<standard_on_heapsmith, E> : public slots<standard_containers, E> {
  using slots<standard_containers, E>::slots;
};

/// Each element in a separate block; a scan follows the caller's pointers.
template <class Blocks, class E>
class slots_of_blocks {
 public:
  using slot = E*;

  explicit slots_of_blocks(std::size_t) : blocks_(sizeof(E)) {}
  slot add(const E& e) { return ::new (blocks_.allocate()) E(e); }
  void drop(slot at) { blocks_.deallocate(at); }
  double read(slot at) const { return sum_of(*at); }
  long scan(std::span<const slot> all) const {
    long sum = 0;
    for (const E* each : all) sum += each->key;
    return sum;
  }
  void end(std::span<const slot> all) {
    for (E* each : all) drop(each);
  }

 private:
  Blocks blocks_;
};

template <class E>
class slots<new_glibc, E> : public slots_of_blocks<new_blocks, E> {
  using slots_of_blocks<new_blocks, E>::slots_of_blocks;
};
template <class E>
class slots<new_heapsmith, E> : public slots_of_blocks<new_blocks, E> {
  using slots_of_blocks<new_blocks, E>::slots_of_blocks;
};
template <class E>
class slots<boost_pool, E> : public slots_of_blocks<boost_blocks, E> {
  using slots_of_blocks<boost_blocks, E>::slots_of_blocks;
};

}  // namespace bench
