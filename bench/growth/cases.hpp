// The cases: each removes, finds or adds elements in the way that hurts most when a cost depends on
// what was erased before, or on how much there is.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <utility>
#include <vector>

#include "heapsmith/arena.hpp"
#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/heapsmith.h"
#include "heapsmith/pool.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/soa_pool.hpp"
#include "support/report.hpp"

namespace bench {

struct pair_row {
  std::uint64_t key;
  std::uint64_t rest;
};

// What all cases have: a sum that depends on each step, and as many steps as elements.
class steps_of {
 public:
  explicit steps_of(std::size_t n) : n_(n) {}
  [[nodiscard]] std::size_t steps() const { return n_; }
  [[nodiscard]] std::uint64_t answer() const { return sum_; }

 protected:
  void saw(std::uint64_t key) { sum_ = mix(sum_ + key); }

 private:
  std::size_t n_;
  std::uint64_t sum_ = 0;
};

// Rows are removed at the end until none is left.
template <class Pool>
class pop_back : public steps_of {
 public:
  explicit pop_back(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.emplace(i, i);
  }
  void step() {
    saw(rows_.size());
    rows_.pop_back();
  }

 private:
  Pool rows_;
};

template <class Pool>
class pop_front : public steps_of {
 public:
  explicit pop_front(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.emplace(i, i);
  }
  void step() {
    saw(rows_.size());
    rows_.pop_front();
  }

 private:
  Pool rows_;
};

template <class Rows>
std::uint64_t first_key(const Rows& rows) {
  if constexpr (requires { (*rows.begin()).key; })
    return (*rows.begin()).key;
  else
    return (*rows.begin()).template get<0>();
}

// The first live row is erased until none is left.
template <class Pool>
class erase_first : public steps_of {
 public:
  explicit erase_first(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.emplace(i, i);
  }
  void step() {
    const auto first = rows_.begin();
    saw(first_key(rows_));
    rows_.erase(first.index_of());
  }

 private:
  Pool rows_;
};

// Of n rows the first and the last one live. The first is erased, the last one is found, and a row
// is added, which takes the slot of the first.
template <class Pool>
class few_left : public steps_of {
 public:
  explicit few_left(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) at_.push_back(rows_.emplace(i, i));
    for (std::size_t i = 1; i + 1 < n; ++i) rows_.erase(at_[n - 1 - i]);
    rows_.erase(at_[0]);
    at_[0] = rows_.emplace(0, 0);
  }
  void step() {
    rows_.erase(at_[0]);
    saw(first_key(rows_));
    at_[0] = rows_.emplace(0, 0);
  }

 private:
  Pool rows_;
  std::vector<std::uint32_t> at_;
};

// The same of the standard library.
class deque_pop_back : public steps_of {
 public:
  explicit deque_pop_back(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.push_back({i, i});
  }
  void step() {
    saw(rows_.size());
    rows_.pop_back();
  }

 private:
  std::deque<pair_row> rows_;
};

class deque_pop_front : public steps_of {
 public:
  explicit deque_pop_front(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.push_back({i, i});
  }
  void step() {
    saw(rows_.size());
    rows_.pop_front();
  }

 private:
  std::deque<pair_row> rows_;
};

class list_erase_first : public steps_of {
 public:
  explicit list_erase_first(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.push_back({i, i});
  }
  void step() {
    saw(rows_.begin()->key);
    rows_.erase(rows_.begin());
  }

 private:
  std::list<pair_row> rows_;
};

class list_few_left : public steps_of {
 public:
  explicit list_few_left(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) rows_.push_back({i, i});
    while (rows_.size() > 2) rows_.erase(std::next(rows_.begin()));
  }
  void step() {
    rows_.pop_front();
    saw(rows_.begin()->key);
    rows_.push_front({0, 0});
  }

 private:
  std::list<pair_row> rows_;
};

// A block behind which n nodes were freed grows over them, by 1 KiB a step.
constexpr std::size_t node_bytes = 56, growth_bytes = 1024;

class region_grow : public steps_of {
 public:
  explicit region_grow(std::size_t n)
      : steps_of(n * 64 / growth_bytes),
        memory_(n * 64 + (std::size_t{64} << 20)),
        region_(memory_.data(), memory_.size()) {
    block_ = region_.allocate(bytes_ = growth_bytes);
    std::vector<void*> nodes(n);
    for (void*& each : nodes) each = region_.allocate(node_bytes);
    for (void* each : nodes) region_.deallocate(each);
  }
  void step() {
    expect(region_.try_expand(block_, bytes_, bytes_ + growth_bytes), "no room to grow");
    bytes_ += growth_bytes;
    saw(bytes_);
  }

 private:
  std::vector<std::byte> memory_;
  heapsmith::region region_;
  void* block_;
  std::size_t bytes_;
};

// n blocks of up to 1000 bytes live; one at random is replaced.
template <class Blocks>
class replace : public steps_of {
 public:
  explicit replace(std::size_t n) : steps_of(100'000), from_(n), blocks_(n) {
    for (auto& each : blocks_) each = fresh();
  }
  ~replace() {
    for (const auto& [p, bytes] : blocks_) from_.give(p, bytes);
  }
  replace(const replace&) = delete;
  replace& operator=(const replace&) = delete;

  void step() {
    auto& [p, bytes] = blocks_[next() % blocks_.size()];
    saw(bytes);
    from_.give(p, bytes);
    std::tie(p, bytes) = fresh();
  }

 private:
  std::uint64_t next() { return state_ = mix(state_ + 1); }
  std::pair<void*, std::size_t> fresh() {
    const std::size_t bytes = next() % 1000 + 1;
    return {from_.take(bytes), bytes};
  }

  Blocks from_;
  std::vector<std::pair<void*, std::size_t>> blocks_;
  std::uint64_t state_ = 0;
};

class region_blocks {
 public:
  explicit region_blocks(std::size_t n)
      : memory_(n * 700 + (1 << 20)), region_(memory_.data(), memory_.size()) {}
  void* take(std::size_t bytes) { return region_.allocate(bytes); }
  void give(void* p, std::size_t) { region_.deallocate(p); }

 private:
  std::vector<std::byte> memory_;
  heapsmith::region region_;
};

template <class Resource>
class resource_blocks {
 public:
  explicit resource_blocks(std::size_t) {}
  void* take(std::size_t bytes) { return from_.allocate(bytes, 16); }
  void give(void* p, std::size_t bytes) { from_.deallocate(p, bytes, 16); }

 private:
  Resource from_;
};

struct malloc_blocks {
  explicit malloc_blocks(std::size_t) {}
  static void* take(std::size_t bytes) { return ::operator new(bytes); }
  static void give(void* p, std::size_t bytes) { ::operator delete(p, bytes); }
};

// n keys lie in a tree; one at random is erased, and another one inserted.
template <class Set>
class exchange_keys : public steps_of {
 public:
  explicit exchange_keys(std::size_t n) : steps_of(100'000), keys_(n) {
    for (auto& each : keys_) set_.insert(each = next());
  }
  void step() {
    std::uint64_t& key = keys_[next() % keys_.size()];
    saw(key);
    set_.erase(key);
    set_.insert(key = next());
  }

 private:
  std::uint64_t next() { return state_ = mix(state_ + 1); }

  Set set_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t state_ = 0;
};

// The least key is erased until none is left.
template <class Set>
class erase_least : public steps_of {
 public:
  explicit erase_least(std::size_t n) : steps_of(n) {
    for (std::size_t i = 0; i < n; ++i) set_.insert(mix(i));
  }
  void step() {
    const std::uint64_t least = *set_.begin();
    saw(least);
    set_.erase(least);
  }

 private:
  Set set_;
};

// Behind n blocks of 64 bytes from an arena, 10 more a step, which a checkpoint takes back.
class arena_turns : public steps_of {
 public:
  explicit arena_turns(std::size_t n) : steps_of(10'000) {
    for (std::size_t i = 0; i < n; ++i) static_cast<void>(arena_.allocate(64, 16));
  }
  void step() {
    const auto before = arena_.checkpoint();
    for (int i = 0; i < 10; ++i) {
      auto* const p = static_cast<std::uint64_t*>(arena_.allocate(64, 16));
      *p = static_cast<std::uint64_t>(i);
      saw(*p);
    }
    arena_.rewind(before);
  }

 private:
  heapsmith::arena<> arena_;
};

class vector_turns : public steps_of {
 public:
  explicit vector_turns(std::size_t n) : steps_of(10'000), all_(n) { all_.reserve(n + 10); }
  void step() {
    for (std::uint64_t i = 0; i < 10; ++i) {
      all_.push_back({i});
      saw(all_.back().words[0]);
    }
    all_.resize(all_.size() - 10);
  }

 private:
  struct block {
    std::uint64_t words[8];
  };
  std::vector<block> all_;
};

}  // namespace bench
